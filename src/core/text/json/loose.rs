//! Loose JSON: objects and lists as language models write them, with single quotes, unquoted keys, trailing commas, or
//! a missing end.

use serde_json::{Map, Number, Value};

/// The most nested objects and lists, including the outermost.
const NESTING_MAX: usize = 32;

/// The value at the beginning of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Loose {
    /// The value.
    pub(crate) value: Value,
    /// Its length in bytes.
    pub(crate) length: usize,
    /// How far it is from JSON.
    pub(crate) form: Form,
    /// The end is missing: more may have been meant.
    pub(crate) is_cut: bool,
}

/// How far a text is from JSON, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// It is JSON.
    Json,
    /// It is not, but has one reading only: another kind of quotes, a trailing comma, missing brackets at the end.
    Unique,
    /// One reading of several: unquoted text, a key that is there twice, a text that does not end.
    Guess,
}

/// Reads the object or list at the beginning of a text. `None` if there is none. Takes linear time.
pub(crate) fn loose_value(text: &str) -> Option<Loose> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut reader = Reader { text, at: 0, form: Form::Json, is_cut: false };
    let value = reader.value(0)?;
    Some(Loose { value, length: reader.at, form: reader.form, is_cut: reader.is_cut })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    form: Form,
    is_cut: bool,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, sign: char) -> bool {
        let is_next = self.next() == Some(sign);
        if is_next {
            self.at += sign.len_utf8();
        }
        is_next
    }

    fn is_at_most(&mut self, form: Form) {
        self.form = self.form.max(form);
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.next()? {
            '{' | '[' if NESTING_MAX <= depth => None,
            '{' => self.object(depth + 1),
            '[' => self.list(depth + 1),
            quote @ ('"' | '\'') => self.quoted(quote).map(Value::String),
            _ => self.bare(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take('{');
        let mut object = Map::new();
        loop {
            self.skip_space();
            match self.next() {
                Some('}') => break,
                None => {
                    self.is_cut = true;
                    self.is_at_most(Form::Unique);
                    return Some(Value::Object(object));
                }
                Some(_) => {}
            }
            let key = match self.next()? {
                quote @ ('"' | '\'') => self.quoted(quote)?,
                _ => self.key()?,
            };
            self.skip_space();
            if !self.take(':') {
                return self.cut_off(object.into());
            }
            self.skip_space();
            if self.rest().is_empty() {
                return self.cut_off(object.into());
            }
            let value = self.value(depth)?;
            if object.insert(key, value).is_some() {
                self.is_at_most(Form::Guess);
            }
            if !self.goes_on('}')? {
                break;
            }
        }
        if !self.take('}') {
            self.is_at_most(Form::Unique);
        }
        Some(Value::Object(object))
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.take('[');
        let mut list = Vec::new();
        loop {
            self.skip_space();
            match self.next() {
                Some(']') => break,
                None => {
                    self.is_cut = true;
                    self.is_at_most(Form::Unique);
                    return Some(Value::Array(list));
                }
                Some(_) => {}
            }
            let before = self.form;
            let value = self.value(depth)?;
            // Words between brackets are words, not a list.
            if value.is_string() && before < Form::Guess && self.form == Form::Guess && !self.rest().is_empty() {
                return None;
            }
            list.push(value);
            if !self.goes_on(']')? {
                break;
            }
        }
        if !self.take(']') {
            self.is_at_most(Form::Unique);
        }
        Some(Value::Array(list))
    }

    /// A key without its value, at the end of the text.
    fn cut_off(&mut self, value: Value) -> Option<Value> {
        self.is_at_most(Form::Guess);
        self.rest().is_empty().then_some(value)
    }

    /// What follows an entry: whether there may be another one. `None` if it is neither a comma nor the end.
    fn goes_on(&mut self, end: char) -> Option<bool> {
        let before = self.at;
        self.skip_space();
        // A paragraph ends what has no end of its own.
        let is_paragraph = self.text.get(before..self.at).is_some_and(|space| 1 < space.matches('\n').count());
        if is_paragraph && !matches!(self.next(), Some(',' | '}' | ']')) {
            self.at = before;
            self.is_cut = true;
            self.is_at_most(Form::Unique);
            return Some(false);
        }
        if self.take(',') {
            self.skip_space();
            if self.next() == Some(end) {
                self.is_at_most(Form::Unique);
            }
            return Some(true);
        }
        match self.next() {
            Some(next) if next == end => Some(false),
            None => {
                self.is_cut = true;
                Some(false)
            }
            // A bracket of the other kind: one is missing here.
            Some('}' | ']') => {
                self.is_at_most(Form::Unique);
                Some(false)
            }
            Some(_) => None,
        }
    }

    fn quoted(&mut self, quote: char) -> Option<String> {
        if quote == '\'' {
            self.is_at_most(Form::Unique);
        }
        self.at += 1;
        let mut read = String::new();
        let mut signs = self.rest().char_indices();
        while let Some((offset, sign)) = signs.next() {
            match sign {
                _ if sign == quote => {
                    self.at += offset + 1;
                    return Some(read);
                }
                '\\' => match signs.next()?.1 {
                    'n' => read.push('\n'),
                    't' => read.push('\t'),
                    'r' => read.push('\r'),
                    'b' => read.push('\u{8}'),
                    'f' => read.push('\u{c}'),
                    'u' => {
                        let unit = u32::from_str_radix(self.rest().get(offset + 2..offset + 6)?, 16).ok()?;
                        // Half of a pair is left out: the next one, too, is no character by itself.
                        match char::from_u32(unit) {
                            Some(sign) => read.push(sign),
                            None => self.is_at_most(Form::Guess),
                        }
                        signs.nth(3);
                    }
                    other => {
                        if !matches!(other, '"' | '\\' | '/') {
                            self.is_at_most(Form::Unique);
                        }
                        read.push(other);
                    }
                },
                '\n' | '\r' | '\t' => {
                    self.is_at_most(Form::Unique);
                    read.push(sign);
                }
                _ => read.push(sign),
            }
        }
        self.at = self.text.len();
        self.is_at_most(Form::Guess);
        Some(read)
    }

    /// A key without quotes.
    fn key(&mut self) -> Option<String> {
        let rest = self.rest();
        let behind = rest.trim_start_matches(|sign: char| sign.is_alphanumeric() || sign == '_' || sign == '-');
        let key = rest.strip_suffix(behind).filter(|key| !key.is_empty())?;
        self.at += key.len();
        self.is_at_most(Form::Unique);
        Some(key.to_owned())
    }

    /// A number, a truth value, null, or unquoted text up to the end of the entry.
    fn bare(&mut self) -> Option<Value> {
        let rest = self.rest();
        let end = rest.find([',', '}', ']', '\n', '{', '[']).unwrap_or(rest.len());
        let (word, behind) = (rest.get(..end)?.trim(), rest.get(end..)?);
        if word.is_empty() || behind.starts_with(['{', '[']) {
            return None;
        }
        self.at += end;
        Some(match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            "True" | "False" | "None" => {
                self.is_at_most(Form::Unique);
                match word {
                    "None" => Value::Null,
                    word => Value::Bool(word == "True"),
                }
            }
            number if number.parse::<Number>().is_ok() => number.parse().map(Value::Number).ok()?,
            text => {
                self.is_at_most(Form::Guess);
                Value::String(text.to_owned())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_models_write_is_read_and_how_sure_the_reading_is() {
        let cases = [
            (r#"{"a": 1, "b": [true, null, "x\n\u00e9"]}"#, json!({"a": 1, "b": [true, null, "x\né"]}), Form::Json),
            (r#"{"a": "}"} and more"#, json!({"a": "}"}), Form::Json),
            (r#"{"a": 1,}"#, json!({"a": 1}), Form::Unique),
            ("{'a': 'it\\'s', 'b': True, c: None}", json!({"a": "it's", "b": true, "c": null}), Form::Unique),
            (r#"{"a": [{"b": 1}"#, json!({"a": [{"b": 1}]}), Form::Unique),
            (r#"{"a": [{"b": 1}}"#, json!({"a": [{"b": 1}]}), Form::Unique),
            ("{\"a\": \"one\ntwo\"}", json!({"a": "one\ntwo"}), Form::Unique),
            ("{success: true, note: it's saved}", json!({"success": true, "note": "it's saved"}), Form::Guess),
            (r#"{"a": 1, "a": 2}"#, json!({"a": 2}), Form::Guess),
            (r#"{"a": "cut o"#, json!({"a": "cut o"}), Form::Guess),
            (r#"{"a": 1, "b"#, json!({"a": 1}), Form::Guess),
            ("{}", json!({}), Form::Json),
        ];
        for (text, value, form) in cases {
            let read = loose_value(text).unwrap_or_else(|| panic!("{text} is not read"));
            assert_eq!((read.value, read.form), (value, form), "{text}");
        }
    }

    #[test]
    fn words_in_brackets_are_no_value() {
        for text in ["[status] is fine", "{x} and {y}", "{a b: c}", "{{name}}", "(x)", "", "[a](https://b)"] {
            assert_eq!(loose_value(text), None, "{text}");
        }
    }

    #[test]
    fn too_deep_nesting_is_not_read() {
        assert_eq!(loose_value(&"[".repeat(100_000)), None);
        assert_eq!(loose_value(&"{\"a\":".repeat(100_000)), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn json_is_read_as_json(keys in prop::collection::vec("\\PC{0,8}", 0..5), n in any::<i64>(), text in "\\PC{0,20}") {
            let object: Map<_, _> = keys.into_iter().map(|key| (key, json!([n, {"t": text}]))).collect();
            let value = Value::Object(object);
            let written = value.to_string();
            let read = loose_value(&written);
            prop_assert_eq!(read, Some(Loose { value, length: written.len(), form: Form::Json, is_cut: false }));
        }

        #[test]
        fn nothing_is_read_past_the_end(text in "[{\\[\"':,}\\]a1 \\\\n]{0,40}") {
            if let Some(read) = loose_value(&text) {
                prop_assert!(text.is_char_boundary(read.length) && read.length <= text.len());
            }
        }
    }
}
