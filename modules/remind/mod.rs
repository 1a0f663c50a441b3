//! `/remind`: reminders, each called again at its time and told to whoever asked for it.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use candor_core::contract::{
    Call, CommandError, DUE_AHEAD_MAX, DueCall, DueCallId, NativeModule, NoArguments, ServiceError, ServiceName,
};
use candor_core::inbound::{CommandPath, Place};
use candor_core::language::{Language, Texts, say_from};
use candor_core::reply::Reply;
use candor_core::text::{Zone, escaped, excerpt, visible_line};

use crate::moment;

/// The option with the words of a reminder.
const TEXT: &str = "text";

/// The most reminders that are shown: what fits into one embed.
const SHOWN_MAX: usize = 20;

/// The most characters of a reminder's words in a list.
const LINE_MAX: usize = 100;

/// A reminder that is later than this says so.
const LATE: Duration = Duration::from_secs(60);

/// What the module says, in every language that it speaks.
static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(&[("en", include_str!("en.ftl")), ("de", include_str!("de.ftl"))]));

/// The module.
pub fn module() -> NativeModule {
    NativeModule::new("remind", include_str!("module.toml"))
        .needs(ServiceName::Time)
        .handler("add", add)
        .handler("list", list)
        .handler("remove", remove)
}

/// What `/remind add` takes.
#[derive(Default, Deserialize, JsonSchema)]
struct NewReminder {
    /// What to be reminded of
    #[schemars(length(min = 1, max = 500))]
    text: String,
    /// How long from now: 90m, 2h30m or 3d
    #[serde(rename = "in")]
    #[schemars(length(min = 1, max = 40))]
    after: Option<String>,
    /// Or when: 2027-01-31 18:00 by the clock of this place, or 2027-01-31T18:00Z
    #[schemars(length(min = 1, max = 40))]
    at: Option<String>,
}

/// What `/remind remove` takes.
#[derive(Deserialize, JsonSchema)]
struct ReminderNumber {
    /// The reminder's number
    #[schemars(range(min = 1))]
    id: DueCallId,
}

async fn add(new: NewReminder, call: Call) -> Result<Reply, CommandError> {
    let (text, language) = (visible_line(&new.text), call.caller.language);
    if text.is_empty() {
        return Err(CommandError::tell(say_from!(TEXTS, language, "no-text")));
    }
    if let Some(due) = call.due {
        return Ok(reminder(&text, due, call.now, language));
    }
    if call.place == Place::Console {
        return Err(CommandError::tell(say_from!(TEXTS, language, "console")));
    }
    let zone = call.services.time()?.zone();
    let due = when(&new, call.now, &zone, language)?;
    let arguments = Map::from_iter([(TEXT.to_owned(), Value::String(text.clone()))]);
    let path = CommandPath::new("remind", Some("add"));
    match call.services.time()?.call_later(path, arguments, (call.now, due)).await {
        Ok(id) => {
            let (ahead, at, text) = (shown(due, 'R'), shown(due, 'f'), escaped(&text));
            Ok(Reply::text(say_from!(TEXTS, language, "added", id = id, ahead = ahead, at = at, text = text)))
        }
        Err(ServiceError::Full(_)) => Err(CommandError::tell(say_from!(TEXTS, language, "full"))),
        Err(problem) => Err(problem.into()),
    }
}

async fn list(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let waiting = call.services.time()?.waiting().await?;
    let mut lines: Vec<_> = waiting.iter().take(SHOWN_MAX).map(line).collect();
    if waiting.is_empty() {
        lines.push(say_from!(TEXTS, language, "none"));
    } else if SHOWN_MAX < waiting.len() {
        lines.push(say_from!(TEXTS, language, "later", n = waiting.len() - SHOWN_MAX));
    }
    let state = Some(say_from!(TEXTS, language, "waiting", n = waiting.len()));
    Ok(Reply { state, ..Reply::text(lines.join("\n")).titled(say_from!(TEXTS, language, "title")) })
}

async fn remove(reminder: ReminderNumber, call: Call) -> Result<Reply, CommandError> {
    let (id, language) = (reminder.id, call.caller.language);
    match call.services.time()?.cancel(id).await? {
        true => Ok(Reply::text(say_from!(TEXTS, language, "removed", id = id))),
        false => Err(CommandError::tell(say_from!(TEXTS, language, "unknown", id = id))),
    }
}

/// The reminder itself, when its time has come.
fn reminder(text: &str, due: SystemTime, now: SystemTime, language: Language) -> Reply {
    let mut reply = Reply::text(escaped(text)).titled(say_from!(TEXTS, language, "title-one"));
    if now.duration_since(due).is_ok_and(|late| LATE < late) {
        reply.add_line(&say_from!(TEXTS, language, "late", ahead = shown(due, 'R')));
    }
    reply
}

/// When a reminder is due.
fn when(new: &NewReminder, now: SystemTime, zone: &Zone, language: Language) -> Result<SystemTime, CommandError> {
    let due = match (&new.after, &new.at) {
        (Some(after), None) => moment::duration(after)
            .and_then(|after| now.checked_add(after))
            .ok_or_else(|| CommandError::tell(say_from!(TEXTS, language, "no-duration", typed = excerpt(after)))),
        (None, Some(at)) => moment::date_time(at, zone)
            .ok_or_else(|| CommandError::tell(say_from!(TEXTS, language, "no-time", typed = excerpt(at)))),
        (Some(_), Some(_)) | (None, None) => Err(CommandError::tell(say_from!(TEXTS, language, "say-when"))),
    }?;
    match due.duration_since(now) {
        Ok(ahead) if DUE_AHEAD_MAX < ahead => Err(CommandError::tell(say_from!(TEXTS, language, "too-far"))),
        Ok(ahead) if !ahead.is_zero() => Ok(due),
        Ok(_) | Err(_) => Err(CommandError::tell(say_from!(TEXTS, language, "past"))),
    }
}

fn line(due: &DueCall) -> String {
    let text = due.call.arguments.get(TEXT).and_then(Value::as_str).unwrap_or_default();
    let text: String = text.chars().take(LINE_MAX).collect();
    format!("{} · {} · {}", due.id, shown(due.call.due, 'R'), escaped(&text))
}

/// A time as Discord shows it, in each reader's own zone: `R` is "in two hours", `f` the date and time.
fn shown(at: SystemTime, style: char) -> String {
    format!("<t:{}:{style}>", at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
}
