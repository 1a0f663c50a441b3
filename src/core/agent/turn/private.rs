//! Private arguments of calls, which are removed from the record of a turn.

use serde_json::{Map, Value};

use crate::agent::tools::OfferedSet;
use crate::record::{InMemory, TurnRecord};

/// Replaces a private value in a text, and arguments that are unreadable.
const PRIVATE: &str = "(private)";

/// Removes the private arguments of calls, whose digests are in the receipts, and their values from the texts of the
/// record. Those of offered commands stay in memory, to fill the modal for the person.
pub(super) fn take_out_private(record: &mut TurnRecord, offered: &OfferedSet) {
    if offered.known().all(|tool| tool.private.is_empty()) {
        return;
    }
    let mut values: Vec<String> = Vec::new();
    for call in &mut record.calls {
        let Some(tool) = offered.known().find(|tool| tool.name == call.tool && !tool.private.is_empty()) else {
            continue;
        };
        call.arguments = match serde_json::from_str::<Map<String, Value>>(&call.arguments) {
            Ok(mut arguments) => {
                for name in &tool.private {
                    if let Some(value) = arguments.get_mut(name) {
                        values.extend(text_of(value));
                        *value = PRIVATE.into();
                    }
                }
                Value::Object(arguments).to_string()
            }
            Err(_) => PRIVATE.to_owned(),
        };
    }
    for offer in &mut record.offers {
        let tools = offered.known().filter(|tool| tool.path.to_string() == offer.command);
        let taken = tools.flat_map(|tool| &tool.private).filter_map(|name| offer.arguments.remove_entry(name));
        let taken = InMemory(taken.collect());
        values.extend(taken.0.values().filter_map(text_of));
        record.private_of_offers.push(taken);
    }
    // Longest first, because one may be a part of another.
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    let results = record.calls.iter_mut().map(|call| &mut call.result);
    let stripped = record.stripped.iter_mut().map(|piece| &mut piece.text);
    let texts = results.chain(stripped).chain([&mut record.said, &mut record.reasoning]).chain(&mut record.notes);
    for text in texts {
        for value in &values {
            // JSON may contain it with escapes.
            let quoted = Value::from(value.as_str()).to_string();
            *text = text.replace(value, PRIVATE).replace(quoted.trim_matches('"'), PRIVATE);
        }
    }
}

/// Returns the text of a value, if it has words.
fn text_of(value: &Value) -> Option<String> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::agent::fixture::catalog_of;
    use crate::contract::{Command, CommandKind, Leaf, OptionKind, OptionSpec, Owner, ToolSpec};
    use crate::inbound::Place;
    use crate::record::{CallRecord, OfferedRun, StrippedText};

    #[test]
    fn the_record_of_a_turn_holds_no_private_argument() {
        let text = OptionKind::String { min_length: None, max_length: None, choices: Vec::new() };
        let text = OptionSpec { private: true, ..OptionSpec::new("text", "The note", text, true) };
        let leaf = Leaf::new("unused", vec![text], Some(ToolSpec::new("note", false)));
        let command = Command::new("note", "Keeps a note", Owner::Builtin, CommandKind::Leaf(leaf));
        let offered = OfferedSet::of(&catalog_of(vec![command]), Place::Console, Some(&BTreeSet::new()));
        let call = |arguments: &str| CallRecord {
            tool: "note".to_owned(),
            arguments: arguments.to_owned(),
            receipt: Some("7F3K5".to_owned()),
            result: "Kept: a \"great\" secret".to_owned(),
            ..CallRecord::default()
        };
        let arguments = json!({ "text": "a \"great\" secret", "title": "plain" });
        let mut record = TurnRecord {
            calls: vec![call(&arguments.to_string()), call("a \"great\" secret, broken")],
            stripped: vec![StrippedText { kind: "tool-text".to_owned(), text: format!("note({arguments})") }],
            offers: vec![OfferedRun {
                command: "/note".to_owned(),
                arguments: arguments.as_object().unwrap().clone(),
                writes: true,
            }],
            said: "I kept a \"great\" secret.".to_owned(),
            ..TurnRecord::default()
        };
        take_out_private(&mut record, &offered);
        let kept = serde_json::to_string(&record).unwrap();
        assert!(!kept.contains("secret"), "{kept}");
        assert_eq!(record.calls[0].arguments, json!({ "text": PRIVATE, "title": "plain" }).to_string());
        assert_eq!(record.calls[1].arguments, PRIVATE);
        assert_eq!(record.offers[0].arguments, json!({ "title": "plain" }).as_object().unwrap().clone());
        assert_eq!(record.private_of_offers[0].0, json!({ "text": "a \"great\" secret" }).as_object().unwrap().clone());
        assert_eq!(record.said, "I kept (private).");
    }

    #[test]
    fn a_record_without_private_arguments_stays_as_it_is() {
        let call =
            CallRecord { tool: "note".to_owned(), arguments: "{\"text\":\"x\"}".to_owned(), ..CallRecord::default() };
        let record = TurnRecord { calls: vec![call], said: "x".to_owned(), ..TurnRecord::default() };
        let mut kept = record.clone();
        take_out_private(&mut kept, &OfferedSet::of_one("note", "Keeps a note"));
        assert_eq!(kept, record);
    }
}
