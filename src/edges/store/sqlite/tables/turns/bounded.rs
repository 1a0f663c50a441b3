//! Bounds the size of a turn's record, whatever a model made of it.

use candor_core::record::{CallRecord, StrippedText, TurnRecord};
use candor_core::text::shortened;

/// The most entries of each list. A turn within its own limits has fewer.
const OFFERED_MAX: usize = 512;
const CALLS_MAX: usize = 64;
const STRIPPED_MAX: usize = 16;
const NOTES_MAX: usize = 16;

/// The longest texts, in characters.
const NAME_LENGTH_MAX: usize = 100;
const ARGUMENTS_LENGTH_MAX: usize = 1_000;
const STRIPPED_LENGTH_MAX: usize = 4_000;
const NOTE_LENGTH_MAX: usize = 1_000;

/// The longest memory, in bytes of JSON. It is kept whole or not at all: half of it must not be saved.
const RECOVERABLE_LENGTH_MAX: usize = 64 * 1024;

/// The record with long texts cut and long lists shortened. The turn has bounds of its own; these hold also where it
/// forgot one. Refusing a record instead would leave a turn without any.
pub(crate) fn bounded(record: &TurnRecord) -> TurnRecord {
    let is_short = |json: &String| json.len() <= RECOVERABLE_LENGTH_MAX;
    let recoverable = record.recoverable.clone();
    TurnRecord {
        model: shortened(&record.model, NAME_LENGTH_MAX),
        tools: shortened(&record.tools, NAME_LENGTH_MAX),
        offered: record.offered.iter().take(OFFERED_MAX).map(|name| shortened(name, NAME_LENGTH_MAX)).collect(),
        calls: record.calls.iter().take(CALLS_MAX).map(call).collect(),
        stripped: record.stripped.iter().take(STRIPPED_MAX).map(stripped).collect(),
        corrections: record.corrections,
        steps: record.steps,
        notes: record.notes.iter().take(NOTES_MAX).map(|note| shortened(note, NOTE_LENGTH_MAX)).collect(),
        failure: record.failure.as_deref().map(|failure| shortened(failure, NAME_LENGTH_MAX)),
        recoverable: recoverable.filter(|memory| serde_json::to_string(memory).is_ok_and(|json| is_short(&json))),
    }
}

fn call(call: &CallRecord) -> CallRecord {
    CallRecord {
        tool: shortened(&call.tool, NAME_LENGTH_MAX),
        command: call.command.as_deref().map(|command| shortened(command, NAME_LENGTH_MAX)),
        arguments: shortened(&call.arguments, ARGUMENTS_LENGTH_MAX),
        outcome: shortened(&call.outcome, NOTE_LENGTH_MAX),
        receipt: call.receipt.as_deref().map(|receipt| shortened(receipt, NAME_LENGTH_MAX)),
        took_ms: call.took_ms,
    }
}

fn stripped(stripped: &StrippedText) -> StrippedText {
    StrippedText {
        kind: shortened(&stripped.kind, NAME_LENGTH_MAX),
        text: shortened(&stripped.text, STRIPPED_LENGTH_MAX),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn record(n_entries: usize, length: usize) -> TurnRecord {
        let text = "é".repeat(length);
        let call = CallRecord {
            tool: text.clone(),
            command: Some(text.clone()),
            arguments: text.clone(),
            outcome: text.clone(),
            receipt: Some(text.clone()),
            took_ms: Some(u64::MAX),
        };
        TurnRecord {
            model: text.clone(),
            tools: text.clone(),
            offered: vec![text.clone(); n_entries],
            calls: vec![call; n_entries],
            stripped: vec![StrippedText { kind: text.clone(), text: text.clone() }; n_entries],
            corrections: u32::MAX,
            steps: u32::MAX,
            notes: vec![text.clone(); n_entries],
            failure: Some(text.clone()),
            recoverable: Some(Map::from_iter([("text".to_owned(), json!(text))])),
        }
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        for (n_entries, length) in [(0, 0), (1, 1), (16, 100)] {
            assert_eq!(bounded(&record(n_entries, length)), record(n_entries, length));
        }
    }

    #[test]
    fn whatever_a_turn_holds_its_record_has_a_bound() {
        let kept = bounded(&record(1_000, 100_000));
        assert_eq!((kept.offered.len(), kept.calls.len(), kept.stripped.len(), kept.notes.len()), (512, 64, 16, 16));
        let lengths = [
            (&kept.model, 100),
            (&kept.calls[63].tool, 100),
            (&kept.calls[63].arguments, 1_000),
            (&kept.calls[63].outcome, 1_000),
            (&kept.stripped[15].text, 4_000),
            (&kept.notes[15], 1_000),
        ];
        for (text, length) in lengths {
            assert_eq!(text.chars().count(), length);
            assert!(text.ends_with("é…"), "{text}");
        }
        assert_eq!(kept.recoverable, None);
        assert!(serde_json::to_string(&kept).unwrap().len() < 1024 * 1024);
    }
}
