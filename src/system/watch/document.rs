//! Parses an unambiguous JSON document: an object without duplicate keys, of finite numbers.
//!
//! JSON readers differ in which of two equal keys they use and in how they read `NaN`. Here both are refused, so that
//! any reader would find the same values in the file.

use serde_json::{Map, Value};

use crate::watch::ContentProblem;
use candor_core::text::whole_object;

/// Parses a JSON object. Line and column of a problem do not count a byte order mark.
pub fn json_object(bytes: &[u8]) -> Result<Map<String, Value>, ContentProblem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = before.split(|&byte| byte == b'\n').count();
        let column = before.rsplit(|&byte| byte == b'\n').next().map_or(0, <[u8]>::len) + 1;
        ContentProblem { place: Some((line, column)), text: "this is not UTF-8 text".to_owned() }
    })?;
    if text.trim().is_empty() {
        return Err(ContentProblem::whole("the file is empty"));
    }
    whole_object(text).map_err(|error| problem(text, &error))
}

/// Returns the error in our words, without the place that serde_json appends to its own.
fn problem(text: &str, error: &serde_json::Error) -> ContentProblem {
    let line = error.line();
    let column = error.column();
    if let Some(word) = no_number(text, line, column) {
        let text = format!("`{word}` is not JSON: leave the key out, or write `null`");
        return ContentProblem { place: Some((line, column)), text };
    }
    let whole = error.to_string();
    let phrase = whole.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&whole);
    let phrase = match phrase {
        "number out of range" => "this number is too large for any reader to keep",
        "trailing characters" => "the object ends before this: nothing may follow it",
        other => other,
    };
    // A problem at the very first character has no column of its own.
    ContentProblem { place: Some((line, column.max(1))), text: phrase.to_owned() }
}

/// Returns the word at a place, if programs write it for a number that is not finite.
fn no_number(text: &str, line: usize, column: usize) -> Option<&'static str> {
    const WORDS: [&str; 7] = ["-Infinity", "Infinity", "-inf", "inf", "NaN", "-nan", "nan"];
    let line = text.lines().nth(line.checked_sub(1)?)?.as_bytes();
    // The place is that of the first invalid character: the second one after a minus sign or in `nan`, which begins
    // like `null`.
    let starts = [column.checked_sub(2), column.checked_sub(1)];
    starts.into_iter().flatten().find_map(|start| {
        let rest = line.get(start..)?;
        WORDS.into_iter().find(|word| rest.starts_with(word.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::json_object;

    #[test]
    fn an_object_is_read_as_it_is() {
        let text = "\u{feff} {\"a\": {\"b\": [1, -2, 0.5, null, true, \"x\"]}, \"big\": 18446744073709551615}\n";
        let expected = json!({"a": {"b": [1, -2, 0.5, null, true, "x"]}, "big": u64::MAX});
        assert_eq!(json_object(text.as_bytes()).map(Value::Object), Ok(expected));
        assert_eq!(json_object(b"{}").map(Value::Object), Ok(json!({})));
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        assert!(json_object(nested(32).as_bytes()).is_ok());
        let problem = json_object(nested(33).as_bytes()).unwrap_err();
        assert_eq!(problem.text, "more than 32 objects and arrays within each other");
        assert!(json_object("{\"a\":".repeat(100_000).as_bytes()).is_err());
        let lists = format!("{{\"a\": {}{}}}", "[".repeat(32), "]".repeat(32));
        assert!(json_object(lists.as_bytes()).is_err());
    }

    #[test]
    fn anything_else_is_refused_with_its_place() {
        let cases: [(&[u8], &str); 20] = [
            (b"", "the file is empty"),
            (b" \n", "the file is empty"),
            (b"\xef\xbb\xbf", "the file is empty"),
            (b"{\"a\": 1, \"a\": 2}", "line 1, column 12: the key `a` is there twice"),
            (b"{\"a\": [{\"b\": 1,\n\"b\": 1}]}", "line 2, column 3: the key `b` is there twice"),
            (b"{\"a\": NaN}", "line 1, column 7: `NaN` is not JSON: leave the key out, or write `null`"),
            (b"{\"a\": nan}", "line 1, column 8: `nan` is not JSON: leave the key out, or write `null`"),
            (b"{\"a\": inf}", "line 1, column 7: `inf` is not JSON: leave the key out, or write `null`"),
            (b"{\"a\": Infinity}", "line 1, column 7: `Infinity` is not JSON: leave the key out, or write `null`"),
            (b"{\"a\":\n -Infinity}", "line 2, column 3: `-Infinity` is not JSON: leave the key out, or write `null`"),
            (b"{\"a\": 1e999}", "line 1, column 11: this number is too large for any reader to keep"),
            (b"{\"a\": -1e999}", "line 1, column 12: this number is too large for any reader to keep"),
            (b"{\"a\": 1} {", "line 1, column 10: the object ends before this: nothing may follow it"),
            (b"{\"a\": 1}\n}", "line 2, column 1: the object ends before this: nothing may follow it"),
            (b"{\"a\": 1", "line 1, column 7: EOF while parsing an object"),
            (b"{\"a\": 1,}", "line 1, column 9: trailing comma"),
            (b"[1]", "line 1, column 1: invalid type: sequence, expected a JSON object, `{ ... }`"),
            (b"12", "line 1, column 2: invalid type: integer `12`, expected a JSON object, `{ ... }`"),
            (b"hello", "line 1, column 1: expected value"),
            (b"{\"a\":\n\"\xff\"}", "line 2, column 2: this is not UTF-8 text"),
        ];
        for (bytes, expected) in cases {
            let problem = json_object(bytes).unwrap_err();
            assert_eq!(problem.to_string(), expected, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
