//! `candor check`: reports the problems that a start would find, and changes nothing.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::app::{AskedModel, Examined, Exit, Failure, Sources, ask_models, examine, examine_deployment};
use crate::cli::run::connection;
use crate::console::{Screen, broken};
use candor_core::agent::{MessageContent, ModelFailure, ToolMode};
use candor_core::contract::outside::Starting;
use candor_core::diagnostic::{Severity, full, json as as_json};
use candor_core::registry::{Reach, Registry, registration_table};

#[derive(Clone, Copy)]
pub(super) struct Ask {
    pub(super) deployment: bool,
    pub(super) online: bool,
    pub(super) json: bool,
    /// How far programs and servers of modules are started.
    pub(super) starting: Starting,
}

/// Prints every problem and whether a start would succeed.
pub(super) async fn check(sources: Sources<'_>, asked: Ask) -> Result<Exit, Failure> {
    let Ask { deployment, online, json, starting } = asked;
    let examined = as_start_sees(examine(sources, starting).await);
    let mut failures = if deployment { deployed(&examined).await? } else { Vec::new() };
    let models = match &examined.settings {
        Some(settings) if online => ask_models(settings).await?,
        _ => Vec::new(),
    };
    let silent = models.iter().filter_map(|model| Some((&model.name, model.found.as_ref().err()?)));
    failures.extend(silent.map(|(name, why)| Failure::unavailable(format!("the model `{name}`: {why}"))));
    let report = match json {
        true => format!("{:#}", for_programs(&examined, &failures, &models)),
        false => for_people(&examined, &failures, &models, Screen::of_output()),
    };
    tell(&report)?;
    let clean = examined.may_start && examined.reach.unreachable.is_empty();
    Ok(match failures.iter().map(|failure| failure.code).max() {
        _ if !clean => Exit::Config,
        None => Exit::Fine,
        Some(code) if code == u8::from(Exit::Unavailable) => Exit::Unavailable,
        Some(_) => Exit::Config,
    })
}

pub(super) fn print_report(examined: &Examined) -> Result<(), Failure> {
    tell(&for_people(examined, &[], &[], Screen::of_output()))
}

/// Turns the errors that a start tolerates into warnings.
fn as_start_sees(examined: Examined) -> Examined {
    match examined.may_start {
        true => Examined { diagnostics: examined.diagnostics.tolerated(), ..examined },
        false => examined,
    }
}

fn tell(report: &str) -> Result<(), Failure> {
    let written = writeln!(std::io::stdout().lock(), "{report}");
    written.map_err(|problem| Failure::unavailable(format!("cannot write the report: {problem}")))
}

/// Returns the problems of this machine that would stop `candor run`.
async fn deployed(examined: &Examined) -> Result<Vec<Failure>, Failure> {
    let Some(settings) = &examined.settings else { return Ok(Vec::new()) };
    let mut failures: Vec<_> = connection(settings.discord.insecure).err().into_iter().collect();
    failures.extend(examine_deployment(settings).await);
    Ok(failures)
}

fn for_people(
    Examined { diagnostics, reach, rights, n_modules, settings, registry, .. }: &Examined,
    failures: &[Failure],
    models: &[AskedModel],
    screen: Screen,
) -> String {
    let mut text = full::render(diagnostics, screen.color);
    if let Some(registry) = registry {
        let table = registration_table(registry, reach);
        let commands = table.lines().skip(1).collect::<Vec<_>>().join("\n");
        text.push_str(&format!("{}\n\n", broken(&commands, screen)));
    }
    let rights: Vec<_> = rights.iter().map(|line| format!("rights of {line}")).collect();
    if !rights.is_empty() {
        text.push_str(&format!("{}\n\n", broken(&rights.join("\n"), screen)));
    }
    if let Some(MessageContent::Needed(setting)) = settings.as_ref().map(|settings| settings.chat.message_content()) {
        text.push_str(&format!("`{setting}` needs Discord's Message Content intent, which is privileged\n\n"));
    }
    for (path, why) in &reach.unreachable {
        text.push_str(&format!("error: `{path}` is registered but cannot be reached: {why}\n\n"));
    }
    if let (Some(settings), Some(registry)) = (settings, registry)
        && let Some(table) = settings.access.table(registry)
    {
        text.push_str(&format!("{table}\n\n"));
    }
    for AskedModel { name, found, images, took } in models {
        if let Ok(mode) = found {
            let tools = match mode {
                ToolMode::Native => "calls tools by the API",
                ToolMode::Text => "calls tools by text",
                ToolMode::None => "calls no tools",
            };
            let images = match images {
                Some(true) => ", and takes images",
                Some(false) => ", and takes no images",
                None => "",
            };
            text.push_str(&format!("the model `{name}` answers in {:.1} s, {tools}{images}\n\n", took.as_secs_f64()));
        }
    }
    for failure in failures {
        text.push_str(&format!("error: {failure}\n\n"));
    }
    if let Some(failures) = registry.as_deref().and_then(Registry::summary_of_failures) {
        text.push_str(&format!("{failures}\n\n"));
    }
    let summary = full::summary(diagnostics, n_others(reach, failures), *n_modules);
    let mode = settings.as_ref().and_then(|settings| settings.discord.where_registered());
    let mode = mode.map(|mode| format!("; {mode}")).unwrap_or_default();
    format!("{text}{summary}; registered {}, reachable {}{mode}", reach.registered, reach.reachable)
}

/// Counts the errors beside the problems of settings and modules.
fn n_others(reach: &Reach, failures: &[Failure]) -> usize {
    reach.unreachable.len() + failures.len()
}

fn for_programs(
    Examined { diagnostics, reach, rights, n_modules, settings, registry, .. }: &Examined,
    failures: &[Failure],
    models: &[AskedModel],
) -> Value {
    let mode = settings.as_ref().and_then(|settings| settings.discord.where_registered());
    let left_out = registry.as_ref().map(|registry| registry.left_out().iter().map(|name| format!("/{name}")));
    let model = |model: &AskedModel| {
        json!({
            "model": model.name,
            "tools": model.found.as_ref().ok().map(|mode| mode.name()),
            "images": model.images,
            "failure": model.found.as_ref().err().map(ModelFailure::name),
            "ms": u64::try_from(model.took.as_millis()).unwrap_or(u64::MAX),
        })
    };
    let unreachable = reach.unreachable.iter().map(|(path, why)| json!({ "command": path.to_string(), "reason": why }));
    json!({
        "diagnostics": as_json::render(diagnostics),
        "errors": diagnostics.count(Severity::Error) + n_others(reach, failures),
        "warnings": diagnostics.count(Severity::Warning),
        "modules": n_modules,
        "registered": reach.registered,
        "reachable": reach.reachable,
        "where_registered": mode.unwrap_or_else(|| "everywhere".to_owned()),
        "rights": rights,
        "left_out": left_out.into_iter().flatten().collect::<Vec<_>>(),
        "unreachable": unreachable.collect::<Vec<_>>(),
        "deployment": failures.iter().map(|failure| json!({ "exit": failure.code, "problem": failure.text })).collect::<Vec<_>>(),
        "models": models.iter().map(model).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Reach, for_people, for_programs};
    use crate::app::{Sources, examine};
    use crate::console::Screen;
    use candor_core::contract::outside::Starting;

    #[tokio::test]
    async fn a_command_that_cannot_be_reached_is_told_to_people_and_programs() {
        let mut examined =
            examine(Sources { natives: candor_modules::all, config: None, running: None }, Starting::Serve).await;
        let registry = examined.registry.clone().unwrap();
        let path = registry.command("status").unwrap().leaves().next().unwrap().path().clone();
        let unreachable = vec![(path, "the router says chat".to_owned())];
        examined.reach = Reach { registered: 19, reachable: 18, unreachable };

        let told = for_people(&examined, &[], &[], Screen::PLAIN);
        let wanted = "error: `/status` is registered but cannot be reached: the router says chat\n\n";
        assert!(told.contains(wanted), "{told}");
        assert!(told.ends_with("1 error, 0 warnings in 9 modules; registered 19, reachable 18"), "{told}");
        let expected = json!([{ "command": "/status", "reason": "the router says chat" }]);
        assert_eq!(for_programs(&examined, &[], &[])["unreachable"], expected);
    }
}
