//! Loose JSON: objects and lists as language models write them, with single quotes, unquoted keys, trailing commas, or
//! a missing end.

use serde_json::{Map, Number, Value};

/// The most nested objects and lists, including the outermost.
const NESTING_MAX: usize = 32;

/// The tokens that Gemma 4 and FunctionGemma write for a quotation mark.
const TOKENS: [&str; 2] = ["<|\"|>", "<escape>"];

/// The longest unquoted key that may have spaces in it, in bytes.
const KEY_MAX: usize = 100;

/// The value at the beginning of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Loose {
    pub(crate) value: Value,
    /// Its length in bytes.
    pub(crate) length: usize,
    pub(crate) form: Form,
    /// The end is missing: the text may be truncated.
    pub(crate) is_cut: bool,
}

/// How far a text is from JSON, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// Strict JSON.
    Json,
    /// Other quotes, a trailing comma, missing brackets at the end. It still has only one reading.
    Unique,
    /// One reading of several: unquoted text, a duplicate key, a text that does not end.
    Guess,
}

/// Reads the object or list at the beginning of a text. `None` if the text begins otherwise. Takes linear time.
pub(crate) fn loose_value(text: &str) -> Option<Loose> {
    value_with(text, false)
}

/// Like `loose_value`, for a value that follows a mark of a tool call. Its unquoted keys may have spaces.
pub(crate) fn loose_marked_value(text: &str) -> Option<Loose> {
    value_with(text, true)
}

fn value_with(text: &str, is_marked: bool) -> Option<Loose> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut reader = Reader { text, at: 0, form: Form::Json, is_cut: false, is_call: false, is_marked };
    let value = reader.value(0)?;
    Some(Loose { value, length: reader.at, form: reader.form, is_cut: reader.is_cut })
}

/// Reads the arguments of a call at the beginning of a text, in round brackets: `(title="milk", n=1)`. A value without
/// a name gets an empty name. `None` if the text begins otherwise. Takes linear time.
pub(crate) fn loose_arguments(text: &str) -> Option<Loose> {
    let mut reader = Reader { text, at: 0, form: Form::Unique, is_cut: false, is_call: true, is_marked: false };
    let value = reader.arguments()?;
    Some(Loose { value, length: reader.at, form: reader.form, is_cut: reader.is_cut })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    form: Form,
    is_cut: bool,
    /// In the round brackets of a call, which end unquoted values.
    is_call: bool,
    /// A mark of a tool call precedes the value, so unquoted keys may have spaces.
    is_marked: bool,
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
            '"' | '\'' if self.is_call && (self.rest().starts_with("\"\"\"") || self.rest().starts_with("'''")) => {
                self.between(3).map(Value::String)
            }
            quote @ ('"' | '\'') => self.quoted(quote).map(Value::String),
            '<' => match TOKENS.iter().find(|token| self.rest().starts_with(**token)) {
                Some(token) => self.between(token.len()).map(Value::String),
                None => self.bare(),
            },
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

    fn arguments(&mut self) -> Option<Value> {
        if !self.take('(') {
            return None;
        }
        let mut arguments = Map::new();
        loop {
            self.skip_space();
            if matches!(self.next(), Some(')') | None) {
                break;
            }
            let start = self.at;
            let key = self.key().filter(|_| {
                self.skip_space();
                !self.rest().starts_with("==") && (self.take('=') || self.take(':'))
            });
            if key.is_none() {
                self.at = start;
            }
            self.skip_space();
            if self.rest().is_empty() {
                break;
            }
            let value = self.value(0)?;
            // The name of an unnamed value is clear only if it is the only value.
            let is_unclear = arguments.contains_key("") || key.is_none() && !arguments.is_empty();
            if arguments.insert(key.unwrap_or_default(), value).is_some() || is_unclear {
                self.is_at_most(Form::Guess);
            }
            if !self.goes_on(')')? {
                break;
            }
        }
        self.is_cut |= !self.take(')');
        Some(Value::Object(arguments))
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
            // Unquoted words between brackets are prose, not a list.
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

    /// Handles a key without its value, at the end of the text.
    fn cut_off(&mut self, value: Value) -> Option<Value> {
        self.is_at_most(Form::Guess);
        self.rest().is_empty().then_some(value)
    }

    /// Reads the separator after an entry and returns whether another entry may follow. `None` if it is neither a comma
    /// nor the end.
    fn goes_on(&mut self, end: char) -> Option<bool> {
        let before = self.at;
        self.skip_space();
        // A blank line ends an unclosed value.
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
            // A bracket of the other kind: the right one is missing here.
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
                        // Drop a surrogate: the other half of its pair is not a character either.
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

    /// Reads a text between two marks of this length. It has no escapes.
    fn between(&mut self, length: usize) -> Option<String> {
        let (mark, inside) = self.rest().split_at_checked(length)?;
        let Some((text, _)) = inside.split_once(mark) else {
            self.at = self.text.len();
            self.is_cut = true;
            self.is_at_most(Form::Guess);
            return Some(inside.to_owned());
        };
        self.at += text.len() + 2 * length;
        self.is_at_most(Form::Unique);
        Some(text.to_owned())
    }

    /// Reads an unquoted key.
    fn key(&mut self) -> Option<String> {
        let rest = self.rest();
        let is_of_key = |sign: char| sign.is_alphanumeric() || "_-\\".contains(sign) || self.is_marked && sign == ' ';
        let behind = rest.trim_start_matches(is_of_key);
        if self.is_marked && KEY_MAX < rest.len() - behind.len() {
            return None;
        }
        let key = rest.strip_suffix(behind).filter(|key| !key.is_empty())?;
        self.at += key.len();
        self.is_at_most(Form::Unique);
        // Keys may be escaped as in Markdown.
        Some(key.trim_end().replace('\\', ""))
    }

    /// Reads a number, a truth value, null, or unquoted text up to the end of the entry.
    fn bare(&mut self) -> Option<Value> {
        let rest = self.rest();
        let is_end = |sign: char| ",}]\n{[".contains(sign) || self.is_call && "()\"'".contains(sign);
        let end = rest.find(is_end).unwrap_or(rest.len());
        let word = rest.get(..end)?.trim();
        let behind = rest.get(end..)?;
        let is_no_value = behind.starts_with(['{', '[']) || self.is_call && behind.starts_with(['(', '"', '\'']);
        if word.is_empty() || is_no_value {
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
