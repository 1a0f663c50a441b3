//! The arguments of a run as text that people read, from the JSON that its receipt keeps.

use serde_json::{Map, Value};

use candor_core::language::{Language, say};
use candor_core::text::in_code_span;

/// A line for each option: `title: buy milk`. Arguments that were too long to be kept as a whole are shown as they are
/// kept.
pub(super) fn shown(kept: &str, language: Language) -> String {
    match serde_json::from_str::<Map<String, Value>>(kept) {
        Ok(arguments) if arguments.is_empty() => say!(language, "receipt-arguments-none"),
        Ok(arguments) => {
            let lines = arguments.iter().map(|(name, value)| in_code_span(&format!("{name}: {}", readable(value))));
            lines.collect::<Vec<_>>().join("\n")
        }
        Err(_) => in_code_span(kept),
    }
}

fn readable(value: &Value) -> String {
    match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        // Of what Discord knows, a receipt keeps what kind it is, its id, and a file's name: `user 7`.
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
    use super::shown;
    use candor_core::language::{Language, say};

    #[test]
    fn arguments_are_read_as_they_were_typed() {
        let none = say!(Language::ENGLISH, "receipt-arguments-none");
        for (kept, expected) in [
            ("{}", none.as_str()),
            (r#"{"title":"buy \"milk\"\n and `bread`"}"#, "`title: buy \"milk\" and ˋbreadˋ`"),
            (r#"{"id":3,"live":true,"metric":"cpu"}"#, "`id: 3`\n`live: true`\n`metric: cpu`"),
            (r#"{"user":{"id":"7","type":"user"}}"#, "`user: user 7`"),
            (r#"{"file":{"filename":"a.txt","id":"1"}}"#, "`file: 1 a.txt`"),
            (r#"{"what":{"channel":"2","id":"1","type":"message"}}"#, "`what: message 1 channel 2`"),
            (r#"{"content":{"salt":"0707","sha256":"ab12"}}"#, "`content: salt 0707 sha256 ab12`"),
            // Cut off where it became too long.
            (r#"{"title":"buy mi"#, "`{\"title\":\"buy mi`"),
        ] {
            assert_eq!(shown(kept, Language::ENGLISH), expected, "{kept}");
        }
    }
}
