//! The arguments of a run as people read them, from the JSON in its receipt.

use serde_json::{Map, Value};

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
    use super::argument_lines;

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
