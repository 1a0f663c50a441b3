//! A chat turn as `/receipt` shows it.
//!
//! Nearly every text in its record is a model's. Each is shown as one line in a code span, in which nothing is
//! rendered, and every list has a length.

use crate::agent::{CallRecord, KeptTurn, StrippedText, TurnRecord};
use crate::contract::Call;
use crate::reply::{Field, Reply, age, clock_time, one_line};

/// The longest lists, in UTF-16 units, with their headings. Together they fit Discord's description.
const CALLS_LENGTH_MAX: usize = 1_800;
const STRIPPED_LENGTH_MAX: usize = 1_000;
const NOTES_LENGTH_MAX: usize = 600;

/// The longest list of offered tools, in UTF-16 units: Discord shows a field of 1,024.
const OFFERED_LENGTH_MAX: usize = 900;

/// The longest excerpts, in characters.
const NAME_LENGTH_MAX: usize = 64;
const ARGUMENTS_LENGTH_MAX: usize = 200;
const REASON_LENGTH_MAX: usize = 120;

/// What happened in a turn.
pub(super) fn show(turn: &KeptTurn, call: &Call) -> Reply {
    let record = &turn.record;
    let field = |name: &str, value: String| Field { name: name.to_owned(), value };
    let mut fields = vec![
        field("Route", "chat".to_owned()),
        field("Model", format!("{}, tools {}", code(&record.model, NAME_LENGTH_MAX), code(&record.tools, 20))),
        field("Offered", offered(&record.offered)),
        field("Asked", format!("{}, {}", counted(record.steps, "time"), counted(record.corrections, "correction"))),
        field("Started", format!("{} ({})", clock_time(turn.at), age(turn.at, call.now))),
    ];
    if turn.user != call.caller.id {
        fields.push(field("Person", format!("`{}`", turn.user)));
    }
    fields.extend(record.failure.as_deref().map(|failure| field("No answer", code(failure, NAME_LENGTH_MAX))));
    if let Some(memory) = memory(turn) {
        fields.push(field("Memory", memory.to_owned()));
    }
    Reply { title: Some(format!("Chat turn {}", turn.id.0)), text: text(record), fields, ..Reply::default() }
}

fn text(record: &TurnRecord) -> String {
    let calls = match record.calls.as_slice() {
        [] => "The model called no command.".to_owned(),
        calls => list("Called:", calls.iter().map(called), CALLS_LENGTH_MAX),
    };
    let stripped = record.stripped.iter().map(stripped);
    let notes = record.notes.iter().map(|note| code(note, ARGUMENTS_LENGTH_MAX));
    let parts = [
        calls,
        list("Taken out of its words:", stripped, STRIPPED_LENGTH_MAX),
        list("Notes under the reply:", notes, NOTES_LENGTH_MAX),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn offered(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    within(names.iter().map(|name| code(name, NAME_LENGTH_MAX)), ", ", OFFERED_LENGTH_MAX)
}

/// A call in one line: ``• `tasks_list` → `/tasks list` `{}` · `done` · 3 ms · receipt `7F3K2` ``.
fn called(call: &CallRecord) -> String {
    let name = code(&call.tool, NAME_LENGTH_MAX);
    let command = call.command.as_deref().map(|command| format!(" → {}", code(command, NAME_LENGTH_MAX)));
    let arguments = code(&call.arguments, ARGUMENTS_LENGTH_MAX);
    let outcome = code(&call.outcome, REASON_LENGTH_MAX);
    let took = call.took_ms.map(|took| format!(" · {took} ms"));
    let receipt = match &call.receipt {
        Some(receipt) => format!("receipt {}", code(receipt, 12)),
        None => "no receipt".to_owned(),
    };
    format!("{name}{} {arguments} · {outcome}{} · {receipt}", command.unwrap_or_default(), took.unwrap_or_default())
}

fn stripped(stripped: &StrippedText) -> String {
    let kind = match stripped.kind.as_str() {
        "tool-text" => "a tool call written as text".to_owned(),
        "made-up-result" => "a made-up result".to_owned(),
        other => code(other, NAME_LENGTH_MAX),
    };
    let length = stripped.text.chars().count();
    format!("{kind}, {length} characters: {}", code(&stripped.text, ARGUMENTS_LENGTH_MAX))
}

fn memory(turn: &KeptTurn) -> Option<&'static str> {
    match (turn.recovered, &turn.record.recoverable) {
        (true, _) => Some("the model only pretended to save it; to save it for real was asked for since"),
        (false, Some(_)) => Some("the model only pretended to save it; it is not saved"),
        (false, None) => None,
    }
}

/// A list under its heading; nothing if it is empty.
fn list(heading: &str, entries: impl ExactSizeIterator<Item = String>, limit: usize) -> String {
    if entries.len() == 0 {
        return String::new();
    }
    format!("{heading}\n• {}", within(entries, "\n• ", limit - units(heading) - units("\n• ")))
}

/// The first entries that fit, and how many more there are.
fn within(entries: impl ExactSizeIterator<Item = String>, between: &str, limit: usize) -> String {
    // Kept for the note on what does not fit.
    let room = limit - units(between) - units("and 65535 more");
    let n_entries = entries.len();
    let mut shown = String::new();
    let mut used = 0;
    for (index, entry) in entries.enumerate() {
        let between = if index == 0 { "" } else { between };
        used += units(between) + units(&entry);
        if room < used {
            let n_left = n_entries - index;
            return format!("{shown}{between}and {n_left} more");
        }
        shown.push_str(between);
        shown.push_str(&entry);
    }
    shown
}

/// Untrusted text in a code span that it cannot leave.
fn code(text: &str, limit: usize) -> String {
    match one_line(text, limit) {
        line if line.trim().is_empty() => "(nothing)".to_owned(),
        line => format!("`{line}`"),
    }
}

/// `1 time`, `2 times`.
fn counted(count: u32, of: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {of}{plural}")
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests;
