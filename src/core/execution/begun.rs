//! The part of a receipt that is known before the run ends: enough to close the run if its process ends first.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

use crate::inbound::{EventId, Place, UserId};
use crate::language::{Language, say};
use crate::record::arguments::without_private;
use crate::record::{CodeName, Facts, ModelCall, Origin, Outcome, Receipt, ReceiptId, Salt};
use crate::reply::Reply;

/// A started run. It is stored before the run does anything that cannot be undone.
#[derive(Clone, Debug, PartialEq)]
pub struct Begun {
    pub event: EventId,
    /// The id of its future receipt.
    pub id: ReceiptId,
    /// The command as people write it: `/tasks add`.
    pub command: String,
    /// The arguments as JSON text, truncated as in a receipt.
    pub arguments: String,
    pub caller: UserId,
    pub language: Language,
    pub place: Place,
    pub started: SystemTime,
    pub origin: Origin,
    pub code: Option<CodeName>,
    pub model: Option<ModelCall>,
}

/// The possible effect of a run whose process ended in the middle of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// The run had no effect: its changes are stored only at its end.
    Nothing,
    /// Unknown, because the run also changes things outside of the store.
    Unknown,
}

impl Begun {
    /// Returns the receipt of a run whose process ended in the middle of it, and the message for its caller. The
    /// receipt claims neither that the run is done nor that it failed by itself.
    pub fn interrupted(&self, left: Left) -> (Arc<Receipt>, String) {
        let command = self.command.as_str();
        let (outcome, text) = match left {
            Left::Nothing => (Outcome::Interrupted, say!(self.language, "interrupted-nothing", command = command)),
            Left::Unknown => (Outcome::Unknown, say!(self.language, "interrupted-unknown", command = command)),
        };
        (self.receipt(outcome, Duration::ZERO, &Reply::text(text.clone())), text)
    }

    pub(super) fn receipt(&self, outcome: Outcome, took: Duration, reply: &Reply) -> Arc<Receipt> {
        let facts = Facts {
            command: self.command.clone(),
            arguments: self.arguments.clone(),
            caller: self.caller,
            place: self.place,
            started: self.started,
            took,
            outcome,
            origin: self.origin,
            source: reply.source.clone(),
            code: self.code.clone(),
            model: self.model.clone(),
        };
        Receipt::mint(self.id, facts, &reply.plain())
    }
}

/// The keys that identify a user, role, channel, file or message. The other keys (a message's text and author, a file's
/// address, a user's name) are for the handler only.
const NAMING: [&str; 4] = ["type", "id", "channel", "filename"];

/// Returns the arguments as JSON. Only Discord objects and digests are JSON objects; all other values are stored as
/// given.
pub(super) fn recorded(given: &Map<String, Value>, private: &[String], salt: impl FnOnce() -> Option<Salt>) -> String {
    let named = given.iter().map(|(name, value)| (name.clone(), named(value))).collect();
    Value::Object(without_private(named, private, salt)).to_string()
}

fn named(value: &Value) -> Value {
    let Value::Object(entity) = value else { return value.clone() };
    let named = NAMING.into_iter().filter_map(|key| Some((key.to_owned(), entity.get(key)?.clone())));
    Value::Object(named.filter(|(_, value)| value.is_string()).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_receipt_names_what_was_pointed_at_and_keeps_nothing_else_of_it() {
        let cases = [
            (json!({ "text": "as given", "n": 1 }), json!({ "text": "as given", "n": 1 })),
            (
                json!({ "whom": { "type": "user", "id": "7", "name": "Ada", "bot": false } }),
                json!({ "whom": { "type": "user", "id": "7" } }),
            ),
            (
                json!({ "file": { "id": "1", "filename": "a.txt", "size": 9, "url": "https://secret" } }),
                json!({ "file": { "id": "1", "filename": "a.txt" } }),
            ),
            (
                json!({ "message": {
                    "type": "message", "id": "1", "channel": "2", "author": { "id": "3", "name": "Ada" },
                    "content": "private words",
                } }),
                json!({ "message": { "type": "message", "id": "1", "channel": "2" } }),
            ),
        ];
        for (given, expected) in cases {
            let Value::Object(given) = given else { panic!("no object") };
            assert_eq!(recorded(&given, &[], || None), expected.to_string());
        }
    }
}
