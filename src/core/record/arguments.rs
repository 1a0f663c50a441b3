//! The arguments in a receipt: private ones as digests, and all as people read them.

use serde_json::{Map, Value, json};

use crate::record::Digest;

/// Random bytes that make the digests of equal values differ. Stored beside the digest and deleted with it.
pub type Salt = [u8; 16];

/// Replaces private arguments by their digests, or by null without a salt.
///
/// A reader of the store can guess short values, as long as the arguments are kept.
pub(crate) fn without_private(
    mut arguments: Map<String, Value>,
    private: &[String],
    salt: impl FnOnce() -> Option<Salt>,
) -> Map<String, Value> {
    if !private.iter().any(|name| arguments.contains_key(name)) {
        return arguments;
    }
    let salt = salt();
    for name in private {
        if let Some(value) = arguments.get_mut(name) {
            *value = match salt {
                Some(salt) => {
                    let digest = Digest::of(&[&salt, name.as_bytes(), value.to_string().as_bytes()]);
                    json!({ "sha256": digest.to_string(), "salt": hex::encode(salt) })
                }
                None => json!({ "sha256": null }),
            };
        }
    }
    arguments
}

/// Formats each option as a person would type it: `title: buy milk`. `None` if the arguments were too long for the
/// receipt: they are cut, so they are not JSON.
pub fn argument_lines(kept: &str) -> Option<Vec<String>> {
    let arguments: Map<String, Value> = serde_json::from_str(kept).ok()?;
    Some(arguments.iter().map(|(name, value)| format!("{name}: {}", readable(value))).collect())
}

fn readable(value: &Value) -> String {
    match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        // A receipt stores only the kind and the id of a Discord object, and a file's name: `user 7`.
        Value::Object(entity) => {
            let name = |(key, value): (&String, &Value)| match value {
                Value::String(text) if key == "type" || key == "id" || key == "filename" => text.clone(),
                other => format!("{key} {}", readable(other)),
            };
            let words: Vec<_> = ["type", "id"].iter().filter_map(|&key| entity.get_key_value(key)).map(name).collect();
            let others = entity.iter().filter(|(key, _)| *key != "type" && *key != "id").map(name);
            words.into_iter().chain(others).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_digest_of_a_private_argument_is_kept_and_equal_values_have_different_ones() {
        let given = || Map::from_iter([("path".to_owned(), json!("a.txt")), ("content".to_owned(), json!("a secret"))]);
        let private = ["content".to_owned(), "other".to_owned()];
        let kept = |salt: Option<Salt>| without_private(given(), &private, move || salt);
        let first = kept(Some([7; 16]));
        assert_eq!(first["path"], "a.txt");
        assert_eq!(first["content"]["sha256"].as_str().map(str::len), Some(64));
        assert_eq!(first["content"]["salt"], "07".repeat(16));
        assert_eq!(first, kept(Some([7; 16])));
        assert_ne!(first["content"]["sha256"], kept(Some([8; 16]))["content"]["sha256"]);
        assert_eq!(kept(None)["content"], json!({ "sha256": null }));
        for kept in [first, kept(None)] {
            assert!(!Value::Object(kept.clone()).to_string().contains("secret"));
            assert_eq!(kept.len(), 2);
        }
        // Nobody is asked for random bytes that are not needed.
        let salt = || panic!("there is nothing private");
        assert_eq!(without_private(given(), &["other".to_owned()], salt), given());
    }

    #[test]
    fn arguments_are_read_as_they_were_typed() {
        for (kept, expected) in [
            ("{}", &[] as &[&str]),
            (r#"{"title":"buy \"milk\"\n and `bread`"}"#, &["title: buy \"milk\" and `bread`"]),
            (r#"{"id":3,"live":true,"metric":"cpu"}"#, &["id: 3", "live: true", "metric: cpu"]),
            (r#"{"user":{"id":"7","type":"user"}}"#, &["user: user 7"]),
            (r#"{"file":{"filename":"a.txt","id":"1"}}"#, &["file: 1 a.txt"]),
            (r#"{"what":{"channel":"2","id":"1","type":"message"}}"#, &["what: message 1 channel 2"]),
            (r#"{"content":{"salt":"0707","sha256":"ab12"}}"#, &["content: salt 0707 sha256 ab12"]),
        ] {
            assert_eq!(argument_lines(kept).unwrap(), expected, "{kept}");
        }
        // Cut off where it became too long.
        assert_eq!(argument_lines(r#"{"title":"buy mi"#), None);
    }
}
