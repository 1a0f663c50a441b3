//! Checks the settings that a module declares, and the values that the operator gave.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::contract::check::findings::Findings;
use crate::contract::check::subject::Candidate;
use crate::contract::code::Given;
use crate::contract::code::PerServer;
use crate::contract::code::SettingsReader;
use crate::contract::manifest::{self, Figure, Text, WrittenManifest, WrittenSetting};
use crate::contract::spec::{
    HandlerKind, ModuleSettings, SECRET_ENDINGS, SettingKind, SettingSpec, is_named_like_secret,
};
use crate::diagnostic::spanned::Spanned;
use crate::diagnostic::{Code, Diagnostics, SourceFile};
use crate::text::in_code_spans;

const SETTINGS_MAX: usize = 25;

/// In bytes.
const NAME_LENGTH_MAX: usize = 32;

const TYPES: [&str; 5] = ["string", "integer", "number", "boolean", "secret"];

/// Returns the settings that a manifest declares, as far as it can be read. The check of the module reports the rest.
pub fn declared_settings(file: &Arc<SourceFile>) -> Vec<SettingSpec> {
    let written = manifest::read(file, &mut Diagnostics::default());
    declared(&written, HandlerKind::Exec, &mut Findings::new(Arc::clone(file), Diagnostics::default()))
}

pub(crate) fn declared(written: &WrittenManifest, kind: HandlerKind, found: &mut Findings) -> Vec<SettingSpec> {
    if let Some(more) = written.settings.get(SETTINGS_MAX) {
        let message = format!("a module has at most {SETTINGS_MAX} settings");
        found.at(Code::SettingInvalid, &more.name.span).report(message, "take some out");
    }
    report_unreachable(written, kind, found);
    let mut variables = BTreeSet::new();
    let read = |setting: &WrittenSetting| spec(setting, kind, &mut variables, found);
    written.settings.iter().take(SETTINGS_MAX).filter_map(read).collect()
}

/// Reports settings that no process receives: an MCP server gets only environment variables, and only if the bot starts
/// it.
fn report_unreachable(written: &WrittenManifest, kind: HandlerKind, found: &mut Findings) {
    if kind != HandlerKind::Mcp {
        return;
    }
    let is_elsewhere = written.run.as_ref().is_some_and(|run| run.url.is_some());
    for setting in written.settings.iter().filter(|setting| is_elsewhere || setting.env.is_none()) {
        let help = match is_elsewhere {
            true => "take it out: a server that runs elsewhere has settings of its own".to_owned(),
            false => {
                format!("write `env = \"…\"` under `[settings.{}]`: a server reads its variables", setting.name.value)
            }
        };
        let message = format!("nothing receives the setting `{}`", setting.name.value.escape_default());
        found.at(Code::SettingInvalid, &setting.name.span).report(message, help);
    }
}

fn spec(
    written: &WrittenSetting,
    module: HandlerKind,
    variables: &mut BTreeSet<String>,
    found: &mut Findings,
) -> Option<SettingSpec> {
    let Spanned { value: name, span } = &written.name;
    // Hide the value first, before any other problem can print its line.
    written.default.iter().filter(|_| is_named_like_secret(name)).for_each(|default| found.hide(&default.span));
    let kind = kind(written, found)?;
    check_name(&written.name, &kind, found);
    if !matches!(&written.description, Text::Given(text) if !text.value.trim().is_empty())
        && !matches!(written.description, Text::Unreadable)
    {
        found.at(Code::SettingInvalid, span).report(
            format!("the setting `{name}` has no description"),
            format!("write `description = \"…\"` under `[settings.{name}]`: what the operator gives here"),
        );
    }
    let required = written.required.as_ref().is_some_and(|required| required.value);
    let mut spec = SettingSpec { name: name.clone(), kind, required, default: None, env: None, per_server: false };
    spec.default = default(written, &spec, found);
    spec.env = env(written.env.as_ref(), module, variables, found);
    spec.per_server = may_differ(written, &spec.kind, module, found);
    Some(spec)
}

fn check_name(Spanned { value: name, span }: &Spanned<String>, kind: &SettingKind, found: &mut Findings) {
    let is_formed = (1..=NAME_LENGTH_MAX).contains(&name.len())
        && name.chars().all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_');
    let is_like_secret = is_named_like_secret(name);
    let is_secret = *kind == SettingKind::Secret;
    if !is_formed {
        found.at(Code::SettingInvalid, span).report(
            format!("`{}` cannot be a setting's name", name.escape_default()),
            format!("name it with 1 to {NAME_LENGTH_MAX} of the characters a-z, 0-9 and `_`"),
        );
    } else if name.ends_with("_file") {
        let help = "give it another name: in the settings file, `…_file` names the file of a secret";
        found.at(Code::SettingInvalid, span).report(format!("`{name}` reads like the file of a secret"), help);
    } else if is_secret && !is_like_secret {
        // The name is how the bot finds a secret written into the settings file by mistake, and keeps it out of output.
        found.at(Code::SettingInvalid, span).report(
            format!("the secret `{name}` is not named like one"),
            format!("end its name in one of {}", in_code_spans(SECRET_ENDINGS)),
        );
    } else if is_like_secret && !is_secret {
        found.at(Code::SettingInvalid, span).report(
            format!("`{name}` is named like a secret, which the settings file may not hold"),
            "write `type = \"secret\"`, or name it otherwise",
        );
    }
}

fn kind(written: &WrittenSetting, found: &mut Findings) -> Option<SettingKind> {
    let word = written.kind.as_ref().map_or("string", |kind| &kind.value);
    let kind = match word {
        "string" => {
            let choices = written.choices.iter().flat_map(|choices| &choices.value);
            SettingKind::Text { choices: choices.map(|choice| choice.value.clone()).collect() }
        }
        "integer" => SettingKind::Integer {
            min: whole(written.min.as_ref(), found).unwrap_or(i64::MIN),
            max: whole(written.max.as_ref(), found).unwrap_or(i64::MAX),
        },
        "number" => SettingKind::Number {
            min: written.min.as_ref().map_or(f64::NEG_INFINITY, |min| min.value.real()),
            max: written.max.as_ref().map_or(f64::INFINITY, |max| max.value.real()),
        },
        "boolean" => SettingKind::Boolean,
        "secret" => SettingKind::Secret,
        other => {
            let span = written.kind.as_ref().map_or(&written.name.span, |kind| &kind.span);
            found.at(Code::SettingInvalid, span).report(
                format!("a setting has no type `{}`", other.escape_default()),
                format!("write one of {}; without it, it is `string`", in_code_spans(TYPES)),
            );
            return None;
        }
    };
    let is_number = matches!(kind, SettingKind::Integer { .. } | SettingKind::Number { .. });
    let strangers = [
        ("choices", word == "string", written.choices.as_ref().map(|choices| &choices.span)),
        ("min", is_number, written.min.as_ref().map(|min| &min.span)),
        ("max", is_number, written.max.as_ref().map(|max| &max.span)),
    ];
    for (key, _, span) in strangers.into_iter().filter(|(_, fits, _)| !fits) {
        let Some(span) = span else { continue };
        let message = format!("`{key}` means nothing for a setting of the type `{word}`");
        found.at(Code::SettingInvalid, span).report(message, format!("take `{key}` out"));
    }
    let is_empty = match kind {
        SettingKind::Integer { min, max } => max < min,
        SettingKind::Number { min, max } => max < min,
        SettingKind::Text { .. } | SettingKind::Boolean | SettingKind::Secret => false,
    };
    if let Some(min) = written.min.as_ref().filter(|_| is_empty) {
        found
            .at(Code::SettingInvalid, &min.span)
            .report("no number is within these bounds", "let `min` be below `max`");
    }
    Some(kind)
}

fn whole(bound: Option<&Spanned<Figure>>, found: &mut Findings) -> Option<i64> {
    let Spanned { value, span } = bound?;
    match value {
        Figure::Whole(number) => Some(*number),
        Figure::Real(number) => {
            let message = format!("{number} is not a whole number");
            found.at(Code::SettingInvalid, span).report(message, "write one, or `type = \"number\"`");
            None
        }
    }
}

fn default(written: &WrittenSetting, spec: &SettingSpec, found: &mut Findings) -> Option<Value> {
    let Spanned { value, span } = written.default.as_ref()?;
    let name = &spec.name;
    if spec.kind == SettingKind::Secret {
        found.hide(span);
        found.at(Code::SettingInvalid, &written.name.span).report(
            format!("`{name}` is a secret, but the manifest gives its default"),
            "take it out: whoever runs the module gives the secret in a file",
        );
    } else if spec.required {
        let message = format!("`{name}` is required and has a default, which nothing would use");
        found.at(Code::SettingInvalid, span).report(message, "take one of them out");
    } else if let Err(takes) = value.as_ref().ok_or_else(|| spec.kind.to_string()).and_then(|value| spec.accepts(value))
    {
        let message = format!("the default of `{name}` does not fit: it takes {takes}");
        found.at(Code::SettingInvalid, span).report(message, "correct it, or take it out");
    } else {
        return value.clone();
    }
    None
}

fn env(
    written: Option<&Spanned<String>>,
    module: HandlerKind,
    variables: &mut BTreeSet<String>,
    found: &mut Findings,
) -> Option<String> {
    let name = written?;
    if !module.is_outside() {
        found
            .at(Code::SettingInvalid, &name.span)
            .report(format!("a module of the kind `{}` has no environment", module.name()), "take `env` out");
        return None;
    }
    check_variables(std::slice::from_ref(name), found);
    if !variables.insert(name.value.clone()) {
        let message = format!("the variable `{}` is given to two settings", name.value.escape_default());
        found.at(Code::SettingInvalid, &name.span).report(message, "give each a variable of its own");
    }
    Some(name.value.clone())
}

/// Reports settings with values that an administrator may set but the code cannot read. No check runs at that time.
fn report_unreadable(
    specs: &[SettingSpec],
    settings: &ModuleSettings,
    written: &WrittenManifest,
    read: &SettingsReader,
    found: &mut Findings,
) {
    for spec in specs.iter().filter(|spec| spec.per_server) {
        let extremes = spec.extremes();
        let refused =
            extremes.iter().find(|&value| (read.accept)(&settings.with([(spec.name.clone(), value.clone())])).is_err());
        let place = written.settings.iter().find(|setting| setting.name.value == spec.name);
        if let (Some(value), Some(place)) = (refused, place) {
            found.at(Code::SettingMismatch, &place.name.span).report(
                format!("the code cannot read `{}` as `{value}`, which an administrator may set", spec.name),
                "give the setting narrower `min`, `max` or `choices`, or the field a wider type",
            );
        }
    }
}

/// Returns whether guild administrators may set it. A server process, and any environment variable, has one value for
/// all guilds.
fn may_differ(written: &WrittenSetting, kind: &SettingKind, module: HandlerKind, found: &mut Findings) -> bool {
    let Some(Spanned { value: true, span }) = &written.per_server else { return false };
    let (why, help) = match (kind, module) {
        (SettingKind::Secret, _) => ("a secret stands in a file of the operator's", "take `per_server` out"),
        (_, HandlerKind::Mcp) => ("its server is started once, with one value for all", "take `per_server` out"),
        _ if written.required.as_ref().is_some_and(|required| required.value) => {
            ("the operator must give it, and that takes precedence", "take `required` out, or `per_server`")
        }
        _ if written.env.is_some() => (
            "its variable has one value for all",
            "take `per_server` out, or `env`: a program finds its settings in the JSON of each call, too",
        ),
        _ => return true,
    };
    let name = written.name.value.escape_default();
    let message = format!("`{name}` cannot differ from server to server: {why}");
    found.at(Code::SettingInvalid, span).report(message, help);
    false
}

/// Reports environment variables that a program must not get. The bot's own hold its token, and the loader's would
/// affect the starter before it is confined.
pub(crate) fn check_variables(names: &[Spanned<String>], found: &mut Findings) {
    for Spanned { value: name, span } in names {
        let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if ["DISCORD_", "CANDOR_", "LD_", "GLIBC_"].iter().any(|bots| name.starts_with(bots)) {
            let help = "take it out: no module is given what starts the bot itself";
            found.at(Code::RunInvalid, span).report(format!("the variable `{name}` is for the bot alone"), help);
        } else if !is_name {
            let name = name.escape_default();
            found
                .at(Code::RunInvalid, span)
                .report(format!("`{name}` is not a valid variable name"), "write letters, digits and `_`");
        }
    }
}

pub(crate) fn per_server(specs: Vec<SettingSpec>, given: &Given) -> Vec<PerServer> {
    let of_servers = specs.into_iter().filter(|spec| spec.per_server);
    let and_whose = |spec: SettingSpec| PerServer { is_operators: given.settings.get(&spec.name).is_some(), spec };
    of_servers.map(and_whose).collect()
}

/// Returns the values in force. Reports missing required values, and differences between the settings and the code's
/// fields.
pub(crate) fn in_force(
    specs: &[SettingSpec],
    written: &WrittenManifest,
    candidate: &Candidate,
    found: &mut Findings,
) -> ModuleSettings {
    let settings = candidate.given.settings.over_defaults(specs);
    let module = &candidate.code.folder;
    let missing: Vec<_> = specs.iter().filter(|spec| spec.required && settings.get(&spec.name).is_none()).collect();
    for spec in &missing {
        let place = written.settings.iter().find(|setting| setting.name.value == spec.name);
        let span = place.map_or(&written.header, |setting| &setting.name.span);
        found.at(Code::SettingMissing, span).report(
            format!("the module `{module}` needs a value for `{}`", spec.name),
            format!("write `{} = …` under `[modules.settings.{module}]` in the settings file", spec.key()),
        );
    }
    let place = written.settings.first().map_or(&written.header, |setting| &setting.name.span);
    match &candidate.code.settings {
        _ if candidate.kind != HandlerKind::Native => {}
        None if specs.is_empty() => {}
        None => found.at(Code::SettingMismatch, place).report(
            "the module's code reads no settings",
            "write `.settings::<…>()` with a type that has a field for each, or take `[settings]` out",
        ),
        Some(read) => {
            let declared = |name: &str| specs.iter().any(|spec| spec.name == name);
            let unknown: Vec<_> = read.fields.iter().filter(|field| !declared(field)).collect();
            let unread: Vec<_> = specs.iter().filter(|spec| !read.fields.contains(&spec.name)).collect();
            for field in &unknown {
                found.at(Code::SettingMismatch, place).report(
                    format!("the code reads the setting `{field}`, which the manifest does not declare"),
                    format!("write `[settings.{field}]`, or take the field out of the code"),
                );
            }
            for spec in &unread {
                found.at(Code::SettingMismatch, place).report(
                    format!("the code does not read the setting `{}`", spec.name),
                    "add the field to its type of settings, or take the setting out",
                );
            }
            if missing.is_empty()
                && unknown.is_empty()
                && unread.is_empty()
                && let Err(problem) = (read.accept)(&settings)
            {
                found.at(Code::SettingMismatch, place).report(
                    format!("the code cannot read the settings: {problem}"),
                    "let each field have the type of its setting, and be an `Option` where there may be no value",
                );
            } else if missing.is_empty() && unknown.is_empty() && unread.is_empty() {
                report_unreadable(specs, &settings, written, read, found);
            }
        }
    }
    settings
}
