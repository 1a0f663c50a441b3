//! Calls written as in a program: `tasks_add(title="milk")`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Number, Value};

use crate::agent::pattern::pattern;
use crate::agent::tools::tool_text::call::{Core, TextCall};
use crate::agent::tools::tool_text::wrapping::{is_between, last_bytes};
use crate::text::{Form, first_bytes, loose_value};

/// What may stand in front of a call on its line: marks of a list or of code, an opening bracket, a program's ways to
/// name where a function comes from.
static IN_FRONT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^\s*(?:<[^<>\n]*>\s*)?(?:[-*>]\s+|\d+[.)]\s+|>>>\s*)*[`'"\[]*\s*(?:print\(|await\s+|call\s*:?\s+|\w+\s*=\s+|(?:default_api|functions|tools|api)\.)*$"#,
    )
});

/// The part of the last line before a call that is looked at, in bytes.
const LOOK_BACK: usize = 120;

/// The longest number or word that is a value, in bytes.
const WORD_LENGTH_MAX: usize = 60;

/// The call of the tool that is named at this place. `behind` is where the last call ended: a call may also follow it
/// on its line.
pub(super) fn call(text: &str, name: &str, place: Range<usize>, behind: usize) -> Option<Core> {
    let (arguments, length, form) = arguments(text.get(place.end..)?)?;
    let seen = last_bytes(text.get(..place.start)?, LOOK_BACK);
    let line = match seen.rsplit_once('\n') {
        Some((_, line)) => Some(line),
        // The whole line must be seen.
        None => (seen.len() == place.start).then_some(seen),
    };
    let is_in_front = line.is_some_and(|line| IN_FRONT.is_match(line));
    let is_next = 0 < behind && text.get(behind..place.start).is_some_and(is_between);
    let call = TextCall { name: name.to_owned(), arguments };
    (is_in_front || is_next).then(|| Core {
        span: place.start..place.end + length,
        calls: vec![call],
        form,
        is_program: true,
    })
}

/// A text that is one call.
pub(super) fn whole(text: &str, is_tool: &dyn Fn(&str) -> bool) -> Option<TextCall> {
    let (name, _) = text.trim().split_once('(')?;
    let name = name.replace('\\', "");
    if !is_tool(&name) {
        return None;
    }
    let (arguments, length, form) = arguments(text.trim().get(name.len()..)?)?;
    (form < Form::Guess && name.len() + length == text.trim().len()).then_some(TextCall { name, arguments })
}

/// The arguments in round brackets at the beginning of a text, and their length.
fn arguments(text: &str) -> Option<(Map<String, Value>, usize, Form)> {
    let inside = text.strip_prefix('(')?;
    let mut rest = inside;
    let mut form = Form::Unique;
    let mut arguments = Map::new();
    loop {
        rest = rest.trim_start_matches(|sign: char| sign.is_whitespace() || sign == ',');
        if let Some(behind) = rest.strip_prefix(')') {
            return Some((arguments, text.len() - behind.len(), form));
        }
        let (key, behind) = named(rest);
        // Not closed: nobody knows what was to follow.
        if behind.is_empty() {
            return Some((arguments, text.len(), Form::Guess));
        }
        let (value, length) = value(behind, &mut form)?;
        match key {
            Some(key) if arguments.insert(key.replace('\\', ""), value).is_none() => {}
            // A name that is there twice.
            Some(_) => form = Form::Guess,
            // A value without a name: whose it is cannot be told here.
            None => form = Form::Guess,
        }
        rest = behind.get(length..)?;
    }
}

/// The name in front of a value, if there is one.
fn named(text: &str) -> (Option<&str>, &str) {
    let behind = text.trim_start_matches(|sign: char| sign.is_alphanumeric() || sign == '_' || sign == '\\');
    let key = text.get(..text.len() - behind.len()).filter(|key| !key.is_empty());
    let value = behind.trim_start().strip_prefix(['=', ':']).filter(|value| !value.starts_with('='));
    match (key, value) {
        (Some(key), Some(value)) => (Some(key), value.trim_start()),
        _ => (None, text),
    }
}

fn value(text: &str, form: &mut Form) -> Option<(Value, usize)> {
    if text.starts_with(['{', '[']) {
        let read = loose_value(text)?;
        *form = (*form).max(read.form);
        return Some((read.value, read.length));
    }
    for quotes in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(inside) = text.strip_prefix(quotes) {
            let end = end_of(inside, quotes);
            let (inside, length) = match end {
                Some(end) => (inside.get(..end)?, 2 * quotes.len() + end),
                None => {
                    *form = Form::Guess;
                    (inside, text.len())
                }
            };
            return Some((Value::String(unescaped(inside)), length));
        }
    }
    let seen = first_bytes(text, WORD_LENGTH_MAX);
    let length = seen.find([',', ')', '\n']).or_else(|| (seen.len() == text.len()).then_some(seen.len()))?;
    let word = text.get(..length)?.trim();
    if word.is_empty() || word.contains(['(', '"', '\'']) {
        return None;
    }
    let value = match word {
        "True" | "true" => Value::Bool(true),
        "False" | "false" => Value::Bool(false),
        "None" | "null" => Value::Null,
        word => match word.parse::<Number>() {
            Ok(number) => Value::Number(number),
            Err(_) => {
                *form = Form::Guess;
                Value::String(word.to_owned())
            }
        },
    };
    Some((value, length))
}

/// Where a quoted text ends: at quotation marks without a backslash before them.
fn end_of(text: &str, quotes: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find(quotes)?;
        let before = text.get(..at)?;
        let n_backslashes = before.len() - before.trim_end_matches('\\').len();
        if n_backslashes % 2 == 0 {
            return Some(at);
        }
        from = at + 1;
    }
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => match signs.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some(other) => plain.push(other),
                None => plain.push('\\'),
            },
            sign => plain.push(sign),
        }
    }
    plain
}
