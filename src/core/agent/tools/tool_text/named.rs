//! Calls that begin with a tool's name: `tasks_add(title="milk")`, or a tag, marker or label, the name, and arguments.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::agent::tools::offer::UNNAMED;
use crate::agent::tools::tool_text::call::{TextCall, ToolText};
use crate::agent::tools::tool_text::marks::{self, MARKS};
use crate::text::{Form, loose_arguments, loose_value};

/// The call of the tool that is named at this place. `last` is where the last call ended: a call may also follow it on
/// its line.
pub(super) fn call(text: &str, name: &str, place: Range<usize>, last: usize) -> Option<ToolText> {
    let before = marks::before(text, place.start);
    let front = MARKS.front.captures(before)?;
    let (tag, label) = (front.name("tag"), front.name("label"));
    let is_first = MARKS.line.is_match(before);
    let is_next = 0 < last && text.get(last..place.start).is_some_and(marks::is_between);
    let behind = text.get(place.end..)?;
    let core = |arguments, length, form, is_word| {
        let calls = vec![TextCall { name: name.to_owned(), arguments }];
        let span = place.start..place.end + length;
        Some(ToolText { span, calls, is_code: false, is_certain: form < Form::Guess, is_word })
    };
    if (is_first || is_next || tag.is_some())
        && let Some((arguments, length, form)) = in_brackets(behind)
    {
        let is_word = !name.contains('_');
        // `calculate();` is a function of a program, which need not stand in a block of code.
        let is_program = is_word && behind.get(length..).is_some_and(|rest| rest.starts_with(';'));
        return if is_program { None } else { core(arguments, length, form, is_word) };
    }
    if tag.is_none() && label.is_none() && !is_first {
        return None;
    }
    let between = MARKS.between.find(marks::behind(text, place.end)).map_or("", |between| between.as_str());
    if let Some(read) = behind.get(between.len()..).and_then(loose_value)
        && let Value::Object(arguments) = read.value
    {
        let end = between.len() + read.length;
        // The fence that was opened in between.
        let rest = behind.get(end..).unwrap_or_default();
        let closed = rest.trim_start().strip_prefix("```").filter(|_| between.contains("```"));
        return core(arguments, behind.len() - closed.unwrap_or(rest).len(), read.form, false);
    }
    let (arguments, length) = in_tags(behind);
    // A tag is no word, as a label is.
    let is_certain = !arguments.is_empty() || tag.is_some();
    let is_marked = tag.is_some() || label.is_some();
    is_marked.then(|| core(arguments, length, if is_certain { Form::Unique } else { Form::Guess }, false)).flatten()
}

/// A text that is one call.
pub(super) fn whole(text: &str, is_tool: &dyn Fn(&str) -> bool) -> Option<TextCall> {
    let (name, _) = text.trim().split_once('(')?;
    let (arguments, length, form) = in_brackets(text.trim().get(name.len()..)?)?;
    let is_whole = name.len() + length == text.trim().len() && form < Form::Guess && !arguments.contains_key(UNNAMED);
    let name = name.replace('\\', "");
    (is_whole && is_tool(&name)).then_some(TextCall { name, arguments })
}

/// The arguments in round brackets at the beginning of a text, and their length.
fn in_brackets(text: &str) -> Option<(Map<String, Value>, usize, Form)> {
    let read = loose_arguments(text)?;
    let Value::Object(arguments) = read.value else { return None };
    // Not closed: nobody knows what was to follow.
    Some((arguments, read.length, if read.is_cut { Form::Guess } else { read.form }))
}

/// Arguments in tags, one behind the other, and their length.
fn in_tags(text: &str) -> (Map<String, Value>, usize) {
    let mut arguments = Map::new();
    let mut rest = text;
    while let Some(found) = MARKS.argument.captures(rest) {
        let part = |at: usize| found.get(at).map(|part| part.as_str().trim());
        let (Some(key), Some(value)) = (part(1).or(part(3)), part(2).or(part(4))) else { break };
        arguments.insert(key.to_owned(), Value::String(value.to_owned()));
        rest = rest.get(found.get(0).map_or(0, |whole| whole.end())..).unwrap_or_default();
    }
    (arguments, text.len() - rest.len())
}
