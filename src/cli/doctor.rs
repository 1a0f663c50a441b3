//! `candor doctor`: examines a deployment from the outside, even while the bot runs, and says what to do.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::json;
use url::Url;

use crate::app::{Examined, Exit, Failure, Sources, ask_models, examine, examine_deployment, open_store};
use crate::cli::run::connection;
use candor_core::agent::MessageContent;
use candor_core::contract::outside::Starting;
use candor_core::diagnostic::Severity;
use candor_core::registry::Registry;
use candor_core::settings::Settings;
use candor_discord::gateway::LOGINS_RESERVE;
use candor_discord::{Diagnosis, DiscordError, Registrar, diagnose};
use candor_store::Database;

/// A clock that is off by more gets a warning.
const CLOCK_OFF_MAX: Duration = Duration::from_secs(5);

/// The result of one check and the remedy.
struct Finding {
    level: Level,
    what: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Fine,
    /// It works, but could work better.
    Warning,
    /// The exit code says whether the configuration or something outside must be fixed.
    Problem(u8),
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Warning => "warning",
            Self::Problem(_) => "problem",
        }
    }
}

impl Finding {
    fn fine(what: impl Into<String>) -> Self {
        Self { level: Level::Fine, what: what.into() }
    }

    fn warning(what: impl Into<String>) -> Self {
        Self { level: Level::Warning, what: what.into() }
    }

    fn problem(failure: Failure) -> Self {
        Self { level: Level::Problem(failure.code), what: failure.text }
    }
}

/// Prints a line for each finding. The exit code is that of the worst.
pub(super) async fn doctor(sources: Sources<'_>, online: bool, json: bool) -> Result<Exit, Failure> {
    let findings = findings(sources, online).await;
    let report = if json {
        let findings: Vec<_> =
            findings.iter().map(|found| json!({ "level": found.level.name(), "what": found.what })).collect();
        format!("{:#}", json!({ "findings": findings }))
    } else {
        let lines: Vec<_> = findings.iter().map(|found| format!("{}: {}", found.level.name(), found.what)).collect();
        let n = |wanted: &str| findings.iter().filter(|found| found.level.name() == wanted).count();
        format!("{}\nproblems: {}, warnings: {}", lines.join("\n"), n("problem"), n("warning"))
    };
    writeln!(std::io::stdout(), "{report}")
        .map_err(|problem| Failure::unavailable(format!("cannot write the report: {problem}")))?;
    let codes = findings.iter().filter_map(|found| match found.level {
        Level::Problem(code) => Some(code),
        Level::Fine | Level::Warning => None,
    });
    Ok(match codes.max() {
        None => Exit::Fine,
        Some(code) if code == u8::from(Exit::Config) => Exit::Config,
        Some(_) => Exit::Unavailable,
    })
}

async fn findings(sources: Sources<'_>, online: bool) -> Vec<Finding> {
    let Examined { settings, registry, reach, diagnostics, .. } = examine(sources, Starting::Trial).await;
    let n_wrong = diagnostics.count(Severity::Error) + reach.unreachable.len();
    let mut found = vec![match n_wrong {
        0 => Finding::fine("settings and modules: nothing is wrong"),
        n => Finding::problem(Failure::config(format!(
            "settings and modules: errors: {n}; `candor check` shows them with what to do"
        ))),
    }];
    let Some(settings) = settings else { return found };
    let machine = examine_deployment(&settings).await;
    if machine.is_empty() {
        found.push(Finding::fine("this machine: the data folder, the disk, the store and the port can be used"));
    }
    found.extend(machine.into_iter().map(Finding::problem));
    found.push(running(&settings).await);
    if let Some(registry) = &registry {
        found.extend(discord(&settings, registry).await);
    }
    if online {
        found.extend(models(&settings).await);
    }
    found
}

#[cfg(not(feature = "operate"))]
async fn running(_: &Settings) -> Finding {
    Finding::warning("the bot cannot be asked how it is: this build has no operator's port")
}

#[cfg(feature = "operate")]
async fn running(settings: &Settings) -> Finding {
    let Some(listen) = settings.admin.listen else {
        return Finding::warning("the bot cannot be asked how it is: `[admin] listen` is \"off\"");
    };
    match candor_operate::ask(listen, "/readyz").await {
        Ok(answer) if answer.ok => Finding::fine(format!("the bot at {listen} is ready")),
        Ok(answer) => Finding::problem(Failure::unavailable(format!(
            "the bot at {listen} is not ready: {}; its log says more",
            answer.body.trim()
        ))),
        Err(_) => Finding::problem(Failure::unavailable(format!(
            "no bot answers at {listen}: start it with `candor run`, or give this command the settings of the one that runs"
        ))),
    }
}

/// Checks token, clock, intents, logins and commands at Discord.
async fn discord(settings: &Settings, registry: &Registry) -> Vec<Finding> {
    let (token, proxy) = match connection(settings.discord.insecure) {
        Ok(connection) => connection,
        Err(failure) => return vec![Finding::problem(failure)],
    };
    let proxy = proxy.or_else(|| settings.discord.proxy.clone());
    let problem = |code: u8, text: String| Finding::problem(Failure::new(code, text));
    // A store that cannot be opened was reported above.
    let store = open_store(&settings.store).await.ok().map(Arc::new);
    let found = match diagnose(&token, proxy.as_ref(), registry, store.clone()).await {
        Ok(diagnosis) => {
            let mut found = told(&diagnosis, settings.chat.message_content());
            if let Some(store) = &store {
                found.push(commands(settings, registry, store, &token, proxy.as_ref()).await);
            }
            found
        }
        Err(why) => vec![problem(why.exit_code(), format!("Discord: {why}"))],
    };
    if let Some(store) = store {
        store.close().await;
    }
    found
}

/// Compares the commands at Discord with those in force.
async fn commands(
    settings: &Settings,
    registry: &Registry,
    store: &Arc<Database>,
    token: &SecretString,
    proxy: Option<&Url>,
) -> Finding {
    let registrar = match Registrar::connect(token, proxy, registry, store.clone(), settings.discord.guild, None).await
    {
        Ok(registrar) => registrar,
        Err(why) => return Finding::problem(Failure::new(why.exit_code(), format!("commands: {why}"))),
    };
    let found = in_step(&registrar).await;
    registrar.end().await;
    found
}

fn missing(intent: &DiscordError) -> Finding {
    Finding::problem(Failure::new(intent.exit_code(), format!("intents: {intent}")))
}

fn told(of: &Diagnosis, content: MessageContent) -> Vec<Finding> {
    let Diagnosis { application, shards, logins_left, logins, .. } = of;
    let mut found = vec![Finding::fine(format!(
        "Discord answers in {} ms, takes the token, and knows the bot as application {application}",
        of.answered_in.as_millis()
    ))];
    found.push(match of.clock_off {
        None => Finding::warning("clock: what answers does not say its time, so it is not compared"),
        Some(off) if off <= CLOCK_OFF_MAX => Finding::fine("clock: it agrees with Discord's"),
        Some(off) => Finding::warning(format!(
            "clock: it is off by {} s; set it by NTP, or the times in answers and receipts are wrong",
            off.as_secs()
        )),
    });
    if let MessageContent::Needed(setting) = content {
        found.push(match of.reads_channels {
            false => missing(&DiscordError::MissingIntent),
            true => Finding::fine(format!("intents: Message Content is enabled, as `{setting}` needs")),
        });
    }
    found.extend(
        of.untold.clone().map(|(module, event)| missing(&DiscordError::MissingIntentOfModule { module, event })),
    );
    found.extend(of.user_install.as_ref().map(|advice| Finding::warning(format!("installations: {advice}"))));
    let day = of.logins_reset.as_secs() / 3_600;
    found.push(if *logins_left < LOGINS_RESERVE {
        Finding::warning(format!(
            "logins: {logins_left} of {logins} are left for {day} h, and Discord resets the token of a bot without any; see \
             in its log why it logs in so often"
        ))
    } else {
        Finding::fine(format!("logins: {logins_left} of {logins} are left; {shards} shards are recommended"))
    });
    found
}

/// Compares the registered commands with those in force.
async fn in_step(registrar: &Registrar) -> Finding {
    match registrar.diff().await {
        Ok(diff) if diff.plan.is_drift() => Finding::warning(
            "commands: those at Discord are not those in force here; `candor sync --plan` shows the difference, and \
             `candor sync` or a start of the bot mends it",
        ),
        Ok(_) => Finding::fine("commands: Discord offers those that are in force"),
        Err(halt) => Finding::problem(Failure::unavailable(format!("commands: {}", halt.why))),
    }
}

async fn models(settings: &Settings) -> Vec<Finding> {
    let asked = match ask_models(settings).await {
        Ok(asked) => asked,
        Err(failure) => return vec![Finding::problem(failure)],
    };
    let told = asked.into_iter().map(|model| match model.found {
        Ok(mode) => Finding::fine(format!(
            "model `{}`: answers in {} ms, tools: {}",
            model.name,
            model.took.as_millis(),
            mode.name()
        )),
        Err(why) => Finding::problem(Failure::unavailable(format!("model `{}`: {why}", model.name))),
    });
    told.collect()
}
