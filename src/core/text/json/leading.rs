//! JSON objects that models write directly before their words.

use serde_json::{Deserializer, Map, Value};

/// Removes the JSON objects that a text begins with, bare or in code blocks. `None` if it begins with no object.
pub fn without_leading_json(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    let begun = rest;
    while let Some(behind) = behind_block(rest).or_else(|| behind_object(rest)) {
        rest = behind.trim_start();
    }
    (rest.len() < begun.len()).then_some(rest)
}

fn behind_object(text: &str) -> Option<&str> {
    let mut objects = Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    objects.next()?.ok()?;
    text.get(objects.byte_offset()..)
}

/// Returns the text behind a code block that holds only objects.
fn behind_block(text: &str) -> Option<&str> {
    let (inside, behind) = text.strip_prefix("```")?.split_once("```")?;
    let mut inside = inside.strip_prefix("json").unwrap_or(inside).trim();
    if inside.is_empty() {
        return None;
    }
    while !inside.is_empty() {
        inside = behind_object(inside)?.trim_start();
    }
    Some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_in_front_go_and_nothing_else_does() {
        let cases = [
            (r#"{"success": true}Hello"#, Some("Hello")),
            ("{\"a\": \"}\"}\n{\"b\": [{}]} \n\nHello {\"c\": 1}", Some("Hello {\"c\": 1}")),
            ("```json\n{\"a\": 1}\n```\nHello", Some("Hello")),
            ("```\n{\"a\": 1}\n{\"b\": 2}\n```{\"c\": 3}\nHello", Some("Hello")),
            (r#"{"a": 1}"#, Some("")),
            ("```json\n{\"a\": 1}\nlet a;\n```\nHello", None),
            ("``````", None),
            (r#"{"a": Hello"#, None),
            ("[1] Hello", None),
            (r#"Hello {"a": 1}"#, None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(without_leading_json(text), expected, "{text}");
        }
    }
}
