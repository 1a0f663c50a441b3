//! Shows a chat turn for `/receipt`.
//!
//! Nearly every text in its record is the model's. Each is shown as one line in a code span, in which nothing is
//! rendered, and every list has a limit.

#[cfg(test)]
mod tests;

use candor_core::contract::Call;
use candor_core::language::{Language, say};
use candor_core::record::{CallRecord, GivenPiece, KeptTurn, StrippedText, TurnRecord};
use candor_core::reply::{Field, Reply, age_in, clock_time};
use candor_core::text::{in_code_span, one_line, utf16_length};

/// The longest parts, in UTF-16 units, with their headings. Together they fit Discord's embed description.
const REASONING_LENGTH_MAX: usize = 400;
const CALLS_LENGTH_MAX: usize = 1_600;
const STRIPPED_LENGTH_MAX: usize = 800;
const NOTES_LENGTH_MAX: usize = 600;

/// The longest list of offered tools, in UTF-16 units: a field of an embed holds 1,024.
const OFFERED_LENGTH_MAX: usize = 900;

/// The longest list of the model's input, in UTF-16 units.
const GIVEN_LENGTH_MAX: usize = 900;

/// The longest excerpts, in characters.
const NAME_LENGTH_MAX: usize = 64;
const ARGUMENTS_LENGTH_MAX: usize = 200;
const RESULT_LENGTH_MAX: usize = 300;
const REASON_LENGTH_MAX: usize = 120;

pub(super) fn show(turn: &KeptTurn, call: &Call) -> Reply {
    let record = &turn.record;
    let language = call.caller.language;
    let field = |name: String, value: String| Field { name, value };
    let code = |text: &str, limit: usize| code(text, limit, language);
    let mut fields = vec![
        field(say!(language, "turn-route"), say!(language, "turn-route-chat")),
        field(
            say!(language, "turn-model"),
            say!(
                language,
                "turn-model-tools",
                model = code(&record.model, NAME_LENGTH_MAX),
                tools = code(&record.tools, 20)
            ),
        ),
        field(say!(language, "turn-offered"), offered(&record.offered, language)),
        field(say!(language, "turn-given"), given(&record.given, language)),
        field(
            say!(language, "turn-asked"),
            say!(language, "turn-asked-times", steps = record.steps, corrections = record.corrections),
        ),
        field(
            say!(language, "receipt-started"),
            format!("{} ({})", clock_time(turn.at), age_in(turn.at, call.now, language)),
        ),
    ];
    if turn.user != call.caller.id {
        fields.push(field(say!(language, "turn-person"), format!("`{}`", turn.user)));
    }
    fields.extend(
        record
            .failure
            .as_deref()
            .map(|failure| field(say!(language, "turn-no-answer"), code(failure, NAME_LENGTH_MAX))),
    );
    Reply {
        title: Some(say!(language, "turn-title", id = turn.id.0.to_string())),
        // Results of commands may be for their person alone.
        text: text(record, turn.user == call.caller.id, language),
        fields,
        ..Reply::default()
    }
}

fn text(record: &TurnRecord, is_theirs: bool, language: Language) -> String {
    let calls = match record.calls.as_slice() {
        [] => say!(language, "turn-called-nothing"),
        calls => {
            let calls = calls.iter().map(|call| called(call, is_theirs, language));
            list(&say!(language, "turn-called"), calls, CALLS_LENGTH_MAX, language)
        }
    };
    let stripped = record.stripped.iter().map(|text| stripped(text, language));
    let mark = (!record.mark.is_empty()).then(|| code(&record.mark, ARGUMENTS_LENGTH_MAX, language));
    let notes = record.notes.iter().map(|note| code(note, ARGUMENTS_LENGTH_MAX, language));
    let reasons = record.reasoning.lines().map(|reason| code(reason, ARGUMENTS_LENGTH_MAX, language));
    let reasons: Vec<_> = reasons.collect();
    let parts = [
        if record.taken_out { say!(language, "turn-taken-out") } else { String::new() },
        list(&say!(language, "turn-mark"), mark.into_iter(), NOTES_LENGTH_MAX, language),
        list(&say!(language, "turn-reasoning"), reasons.into_iter(), REASONING_LENGTH_MAX, language),
        calls,
        list(&say!(language, "turn-stripped"), stripped, STRIPPED_LENGTH_MAX, language),
        list(&say!(language, "turn-notes"), notes, NOTES_LENGTH_MAX, language),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn offered(names: &[String], language: Language) -> String {
    if names.is_empty() {
        return say!(language, "turn-offered-nothing");
    }
    within(names.iter().map(|name| code(name, NAME_LENGTH_MAX, language)), ", ", OFFERED_LENGTH_MAX, language)
}

/// Lists the model's input apart from tools: system text, earlier exchanges, and attachments.
fn given(pieces: &[GivenPiece], language: Language) -> String {
    if pieces.is_empty() {
        return say!(language, "turn-given-unknown");
    }
    within(pieces.iter().map(|piece| given_piece(piece, language)), ", ", GIVEN_LENGTH_MAX, language)
}

/// Formats a piece: `` a message of `Ada` (21 bytes) ``, `` the file `a.png` (image) ``.
fn given_piece(GivenPiece { what, name, bytes, note }: &GivenPiece, language: Language) -> String {
    let name = code(name, NAME_LENGTH_MAX, language);
    let what = match what.as_str() {
        "system" => say!(language, "given-system"),
        "exchanges" => return say!(language, "given-exchanges", n = *bytes),
        "summary" => say!(language, "given-summary"),
        "words" => say!(language, "given-words"),
        "message" => say!(language, "given-message", name = name),
        "file" => say!(language, "given-file", name = name),
        "picture" => say!(language, "given-picture", name = name),
        _ => name,
    };
    let how = match note.as_str() {
        "" => say!(language, "given-bytes", n = *bytes),
        "cut" => say!(language, "given-cut", n = *bytes),
        "image" => say!(language, "given-image"),
        "gone" => say!(language, "given-gone"),
        "no-text" | "unseen" => say!(language, "given-unreadable"),
        "too-large" => say!(language, "given-too-large"),
        "too-many-pixels" => say!(language, "given-too-many-pixels"),
        "no-picture" => say!(language, "given-no-picture"),
        "late" => say!(language, "given-late"),
        "no-room" => say!(language, "given-no-room"),
        "too-many" => say!(language, "given-too-many"),
        "changed" => say!(language, "given-changed"),
        "unreachable" => say!(language, "given-unreachable"),
        other => code(other, NAME_LENGTH_MAX, language),
    };
    format!("{what} ({how})")
}

/// Formats a call in one line: ``• `tasks_list` → `/tasks list` `{}` · `done` · 3 ms · receipt `7F3K2` ``. Adds the
/// command's result for the model below it, if the reader is the asker.
fn called(call: &CallRecord, is_theirs: bool, language: Language) -> String {
    let code = |text: &str, limit: usize| code(text, limit, language);
    let name = code(&call.tool, NAME_LENGTH_MAX);
    let command = call.command.as_deref().map(|command| format!(" → {}", code(command, NAME_LENGTH_MAX)));
    let arguments = code(&call.arguments, ARGUMENTS_LENGTH_MAX);
    let outcome = code(&call.outcome, REASON_LENGTH_MAX);
    let took = call.took_ms.map(|took| format!(" · {took} ms"));
    let receipt = match &call.receipt {
        Some(receipt) => say!(language, "footer-receipt", id = code(receipt, 12)),
        None => say!(language, "turn-no-receipt"),
    };
    let is_shown = is_theirs && !call.result.trim().is_empty();
    let result =
        is_shown.then(|| format!("\n  {} {}", say!(language, "turn-result"), code(&call.result, RESULT_LENGTH_MAX)));
    format!(
        "{name}{} {arguments} · {outcome}{} · {receipt}{}",
        command.unwrap_or_default(),
        took.unwrap_or_default(),
        result.unwrap_or_default()
    )
}

fn stripped(stripped: &StrippedText, language: Language) -> String {
    let kind = match stripped.kind.as_str() {
        "tool-text" => say!(language, "stripped-tool-text"),
        "made-up-result" => say!(language, "stripped-made-up-result"),
        other => code(other, NAME_LENGTH_MAX, language),
    };
    let length = stripped.text.chars().count();
    {
        let text = code(&stripped.text, ARGUMENTS_LENGTH_MAX, language);
        say!(language, "turn-stripped-piece", kind = kind, n = length.to_string(), text = text)
    }
}

/// Formats a list under its heading. Empty if the list is empty.
fn list(heading: &str, entries: impl ExactSizeIterator<Item = String>, limit: usize, language: Language) -> String {
    if entries.len() == 0 {
        return String::new();
    }
    format!("{heading}\n• {}", within(entries, "\n• ", limit - utf16_length(heading) - utf16_length("\n• "), language))
}

/// Joins the first entries that fit, and adds how many are left.
fn within(entries: impl ExactSizeIterator<Item = String>, between: &str, limit: usize, language: Language) -> String {
    // Reserves room for the note on the entries left out.
    let room = limit - utf16_length(between) - utf16_length(&say!(language, "turn-more", n = 65_535));
    let n_entries = entries.len();
    let mut shown = String::new();
    let mut used = 0;
    for (index, entry) in entries.enumerate() {
        let between = if index == 0 { "" } else { between };
        used += utf16_length(between) + utf16_length(&entry);
        if room < used {
            let n_left = n_entries - index;
            return format!("{shown}{between}{}", say!(language, "turn-more", n = n_left));
        }
        shown.push_str(between);
        shown.push_str(&entry);
    }
    shown
}

/// Puts untrusted text in a code span that it cannot leave.
fn code(text: &str, limit: usize, language: Language) -> String {
    match one_line(text, limit) {
        line if line.trim().is_empty() => say!(language, "turn-nothing"),
        line => in_code_span(&line),
    }
}
