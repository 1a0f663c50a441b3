//! Where a JSON object ends, in text of a model: strict or loose, whole or cut off.

/// Keys of what tools answer, and of what the host tells a model of a call.
const RESULT_KEYS: &[&str] =
    &["error", "ok", "outcome", "output", "receipt", "result", "results", "status", "success", "tool", "tool_name"];

/// Whether a text begins with an object or with an array of objects. Loose JSON counts: keys without quotation marks,
/// or in single ones. `{name}` and `[text](link)` are none.
pub(super) fn starts_object(text: &str) -> bool {
    let text = text.strip_prefix('[').map_or(text, str::trim_start);
    let Some(inside) = text.strip_prefix('{').map(str::trim_start) else { return false };
    if inside.is_empty() || inside.starts_with(['"', '\'', '}']) {
        return true;
    }
    let is_key = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '$' | '.');
    let behind_key = inside.trim_start_matches(is_key);
    behind_key.len() < inside.len() && behind_key.trim_start().starts_with(':')
}

/// The length of the object or array that a text begins with, in bytes; nothing if it is never closed. Braces in
/// strings do not count, and a backslash in a string escapes what follows it.
pub(super) fn length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in outside_strings(text) {
        match character {
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + character.len_utf8());
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether the object that a text begins with, or one of an array of objects, has a key of tools' answers. A kind of
/// content is what a memory looks like.
pub(super) fn looks_like_a_result(text: &str) -> bool {
    let keys = keys(text);
    let has = |wanted: &str| keys.iter().any(|key| key.eq_ignore_ascii_case(wanted));
    RESULT_KEYS.iter().any(|key| has(key)) || (has("content") && has("kind"))
}

/// The keys of an object, or of all objects of an array; those of nested ones are left out.
fn keys(text: &str) -> Vec<&str> {
    let level = if text.starts_with('[') { 2 } else { 1 };
    let mut depth = 0_usize;
    let mut start = None;
    let mut keys = Vec::new();
    for (at, character) in outside_strings(text) {
        match character {
            '{' | '[' => {
                depth += 1;
                start = (depth == level).then_some(at + 1);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                start = None;
                if depth == 0 {
                    break;
                }
            }
            ',' if depth == level => start = Some(at + 1),
            ':' if depth == level => {
                let key = start.take().and_then(|start| text.get(start..at));
                keys.extend(key.map(|key| key.trim().trim_matches(['"', '\''])));
            }
            _ => {}
        }
    }
    keys
}

/// What stands outside of strings, with their opening marks, and where.
fn outside_strings(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut string = None;
    let mut is_escaped = false;
    let mut before = '{';
    text.char_indices().filter(move |(_, character)| {
        let character = *character;
        if let Some(quote) = string {
            if is_escaped {
                is_escaped = false;
            } else if character == '\\' {
                is_escaped = true;
            } else if character == quote {
                string = None;
                before = character;
            }
            return false;
        }
        match character {
            '"' => string = Some(character),
            // Elsewhere it is an apostrophe.
            '\'' if matches!(before, '{' | '[' | ',' | ':') => string = Some(character),
            _ => {}
        }
        if !character.is_whitespace() {
            before = character;
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use super::{length, looks_like_a_result, starts_object};

    #[test]
    fn an_object_is_told_from_other_braces() {
        let objects = ["{\"a\":1}", "{ }", "{", "{a: 1}", "{'a': 1}", "{\n  \"a\": 1}", "[{\"a\":1}]", "[ {a:1}]"];
        for text in objects {
            assert!(starts_object(text), "{text}");
        }
        for text in ["", "{name} said", "{{name}}", "[1, 2]", "[a](b)", "[x] done", "{: 1}", "(a: 1)", "\"a\": 1"] {
            assert!(!starts_object(text), "{text}");
        }
    }

    #[test]
    fn an_object_ends_at_its_own_brace() {
        let cases = [
            ("{\"a\":1}x", Some(7)),
            ("{\"a } b\":1}x", Some(11)),
            ("{\"a\":\"\\\"}\"}x", Some(11)),
            ("{\"a\":\"\\\\\"}x", Some(10)),
            ("{'a':'}'}x", Some(9)),
            ("{a: don't}x", Some(10)),
            ("{\"a\":{\"b\":[1,{}]}}x", Some(18)),
            ("[{\"a\":1},{\"b\":2}]x", Some(17)),
            ("{\"a\":\n\n1}", Some(9)),
            ("{\"a\":1", None),
            ("{\"a\":\"}", None),
        ];
        for (text, expected) in cases {
            assert_eq!(length(text), expected, "{text}");
        }
    }

    #[test]
    fn a_result_is_told_by_its_keys() {
        for text in [
            r#"{"success":true}"#,
            r#"{"id": 7, "Status": "up"}"#,
            "{error: it's full}",
            "{'ok': 1}",
            r#"[{"id":7},{"id":8,"result":"x"}]"#,
            r#"{"content":"tea","kind":"fact"}"#,
            r#"{"tool":"status","#,
        ] {
            assert!(looks_like_a_result(text), "{text}");
        }
        for text in [
            "{}",
            r#"{"port":80}"#,
            r#"{"note":"status: up","a":["success","ok"]}"#,
            r#"{"door":{"status":"open"}}"#,
            r#"[{"port":80},{"port":81}]"#,
            r#"{"content":"tea"}"#,
            r#"{"port":80} {"status":"up"}"#,
        ] {
            assert!(!looks_like_a_result(text), "{text}");
        }
    }
}
