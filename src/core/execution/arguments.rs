//! Arguments as stored in a receipt. Discord objects are stored by id only, private arguments as digests.

use serde_json::{Map, Value};

use crate::record::Salt;
use crate::record::private::without_private;

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
