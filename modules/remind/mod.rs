//! `/remind`: reminders, each a scheduled call whose answer goes to the person who asked for it.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

use candor_core::contract::limits::SUGGESTIONS_MAX;
use candor_core::contract::{
    Call, CommandError, DUE_AHEAD_MAX, DueCall, DueCallId, NativeModule, NoArguments, RecordId, ServiceError,
    ServiceName, Suggestion,
};
use candor_core::inbound::{CommandPath, Place};
use candor_core::language::{Language, Texts, say_from};
use candor_core::reply::Reply;
use candor_core::text::{Misread, Zone, escaped, excerpt, parse_moment, visible_line};

const TEXT: &str = "text";

/// The most reminders shown: they fit into one embed.
const SHOWN_MAX: usize = 20;

/// The most characters of a reminder's text in a list.
const LINE_MAX: usize = 100;

/// A reminder that is later than this says so.
const LATE: Duration = Duration::from_secs(60);

/// The format of the parsed time. Its weekday is a translated text.
const UNDERSTOOD: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day] [hour]:[minute]");
const WEEKDAY: &[BorrowedFormatItem<'_>] = format_description!("[weekday repr:short]");

static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(&[("en", include_str!("en.ftl")), ("de", include_str!("de.ftl"))]));

pub fn module() -> NativeModule {
    NativeModule::new("remind", include_str!("module.toml"))
        .needs(ServiceName::Time)
        .needs(ServiceName::Records)
        .handler("add", add)
        .handler("list", list)
        .handler("remove", remove)
        .handler("zone", set_zone)
        .complete("zone", "zone", suggest_zones)
}

/// What `/remind add` takes.
#[derive(Default, Deserialize, JsonSchema)]
struct NewReminder {
    /// What to be reminded of
    #[schemars(length(min = 1, max = 500))]
    text: String,
    /// How long from now: 90m, 2 weeks or 1 month; or a time, as in at
    #[serde(rename = "in")]
    #[schemars(length(min = 1, max = 40))]
    after: Option<String>,
    /// Or when: 18:00, 6pm, tomorrow 9:00, next friday or 2027-01-31 18:00
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

/// What `/remind zone` takes.
#[derive(Deserialize, JsonSchema)]
struct NewZone {
    /// Such as Europe/Berlin; without it, the zone of the place counts again
    #[schemars(length(min = 1, max = 60))]
    zone: Option<String>,
}

#[derive(Deserialize, Serialize)]
struct OwnZone {
    /// The name of a time zone.
    zone: String,
}

async fn add(new: NewReminder, call: Call) -> Result<Reply, CommandError> {
    let text = visible_line(&new.text);
    let language = call.caller.language;
    if text.is_empty() {
        return Err(CommandError::tell(say_from!(TEXTS, language, "no-text")));
    }
    if let Some(due) = call.due {
        return Ok(reminder(&text, due, call.now, language));
    }
    if call.place == Place::Console {
        return Err(CommandError::tell(say_from!(TEXTS, language, "console")));
    }
    // Ignore a zone that the database no longer has.
    let own = own_zone(&call).await?.and_then(|(_, OwnZone { zone })| Zone::named(&zone).ok());
    let is_own = own.is_some();
    let zone = own.map_or_else(|| Ok::<_, ServiceError>(call.services.time()?.zone()), Ok)?;
    let due = when(&new, call.now, &zone, language)?;
    let arguments = Map::from_iter([(TEXT.to_owned(), Value::String(text.clone()))]);
    let path = CommandPath::new("remind", Some("add"));
    match call.services.time()?.call_later(path, arguments, call.now, due).await {
        Ok(id) => {
            let ahead = shown(due, 'R');
            let at = shown(due, 'f');
            let text = escaped(&text);
            let added = say_from!(TEXTS, language, "added", id = id, ahead = ahead, at = at, text = text);
            Ok(Reply::text(format!("{added}\n{}", understood(due, &zone, is_own, language))))
        }
        Err(ServiceError::Full(_)) => Err(CommandError::tell(say_from!(TEXTS, language, "full"))),
        Err(problem) => Err(problem.into()),
    }
}

async fn list(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let waiting = call.services.time()?.waiting().await?;
    let mut lines: Vec<_> = waiting.iter().take(SHOWN_MAX).map(|due| line(due, language)).collect();
    if waiting.is_empty() {
        lines.push(say_from!(TEXTS, language, "none"));
    } else if SHOWN_MAX < waiting.len() {
        lines.push(say_from!(TEXTS, language, "later", n = waiting.len() - SHOWN_MAX));
    }
    let state = Some(say_from!(TEXTS, language, "waiting", n = waiting.len()));
    Ok(Reply { state, ..Reply::text(lines.join("\n")).titled(say_from!(TEXTS, language, "title")) })
}

async fn remove(reminder: ReminderNumber, call: Call) -> Result<Reply, CommandError> {
    let id = reminder.id;
    let language = call.caller.language;
    match call.services.time()?.cancel(id).await? {
        true => Ok(Reply::text(say_from!(TEXTS, language, "removed", id = id))),
        false => Err(CommandError::tell(say_from!(TEXTS, language, "unknown", id = id))),
    }
}

fn reminder(text: &str, due: SystemTime, now: SystemTime, language: Language) -> Reply {
    let mut reply = Reply::text(escaped(text)).titled(say_from!(TEXTS, language, "title-one"));
    if now.duration_since(due).is_ok_and(|late| LATE < late) {
        reply.add_line(&say_from!(TEXTS, language, "late", ahead = shown(due, 'R')));
    }
    reply
}

/// Returns when a reminder is due. Both options accept the same forms, because people write a time into either.
fn when(new: &NewReminder, now: SystemTime, zone: &Zone, language: Language) -> Result<SystemTime, CommandError> {
    let ((None, Some(typed)) | (Some(typed), None)) = (&new.after, &new.at) else {
        return Err(CommandError::tell(say_from!(TEXTS, language, "say-when")));
    };
    let due = parse_moment(typed, now, zone).map_err(|why| {
        let typed = excerpt(typed);
        CommandError::tell(match why {
            Misread::CapitalM => say_from!(TEXTS, language, "capital-m", typed = typed),
            Misread::Unknown if new.at.is_none() => say_from!(TEXTS, language, "no-duration", typed = typed),
            Misread::Unknown => say_from!(TEXTS, language, "no-time", typed = typed),
        })
    })?;
    match due.duration_since(now) {
        Ok(ahead) if DUE_AHEAD_MAX < ahead => Err(CommandError::tell(say_from!(TEXTS, language, "too-far"))),
        Ok(ahead) if !ahead.is_zero() => Ok(due),
        Ok(_) | Err(_) => Err(CommandError::tell(say_from!(TEXTS, language, "past"))),
    }
}

/// Returns the parsed time in the time zone that was used to parse it.
fn understood(due: SystemTime, zone: &Zone, is_own: bool, language: Language) -> String {
    let day = say_from!(TEXTS, language, "weekday", day = zone.text(due, WEEKDAY));
    let at = zone.text(due, UNDERSTOOD);
    let name = zone.name();
    match is_own {
        true => say_from!(TEXTS, language, "understood", day = day, at = at, zone = name),
        false => say_from!(TEXTS, language, "understood-here", day = day, at = at, zone = name),
    }
}

async fn own_zone(call: &Call) -> Result<Option<((RecordId, Value), OwnZone)>, CommandError> {
    let kept = call.services.caller_records_everywhere()?.list().await?;
    let Some((id, body)) = kept.into_iter().next() else { return Ok(None) };
    let zone = OwnZone::deserialize(&body)?;
    Ok(Some(((id, body), zone)))
}

async fn set_zone(new: NewZone, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let zone = new.zone.map(|typed| Zone::named(typed.trim()).map_err(|near| unknown_zone(&typed, &near, language)));
    let records = call.services.caller_records_everywhere()?;
    let before = own_zone(&call).await?;
    let Some(zone) = zone.transpose()? else {
        if let Some(((id, _), _)) = before {
            records.remove(id).await?;
        }
        let here = call.services.time()?.zone();
        return Ok(Reply::text(say_from!(TEXTS, language, "zone-here", zone = here.name())));
    };
    let body = json!(OwnZone { zone: zone.name().to_owned() });
    match before {
        Some(((id, kept), _)) => drop(records.replace(id, &kept, &body).await?),
        None => drop(records.add(&body, 1).await?),
    }
    let time = zone.text(call.now, UNDERSTOOD);
    Ok(Reply::text(say_from!(TEXTS, language, "zone-set", zone = zone.name(), time = time)))
}

fn unknown_zone(typed: &str, near: &[String], language: Language) -> CommandError {
    let near: Vec<_> = near.iter().map(|zone| format!("`{zone}`")).collect();
    let typed = excerpt(typed);
    CommandError::tell(match near.is_empty() {
        true => say_from!(TEXTS, language, "zone-unknown", typed = typed),
        false => say_from!(TEXTS, language, "zone-near", typed = typed, near = near.join(", ")),
    })
}

async fn suggest_zones(typed: String, _: Call) -> Vec<Suggestion> {
    let typed = typed.trim().replace(' ', "_").to_lowercase();
    let names = Zone::names().into_iter().filter(|name| name.to_lowercase().contains(&typed));
    names.take(SUGGESTIONS_MAX).map(Suggestion::from).collect()
}

fn line(due: &DueCall, language: Language) -> String {
    let text = due.call.arguments.get(TEXT).and_then(Value::as_str).unwrap_or_default();
    let text: String = text.chars().take(LINE_MAX).collect();
    let line = format!("{} · {} · {}", due.id, shown(due.call.due, 'R'), escaped(&text));
    match due.is_made {
        true => format!("{line} · {}", say_from!(TEXTS, language, "not-delivered")),
        false => line,
    }
}

/// Formats a time that Discord shows in each reader's own zone: `R` is "in two hours", `f` the date and time.
fn shown(at: SystemTime, style: char) -> String {
    format!("<t:{}:{style}>", at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
}
