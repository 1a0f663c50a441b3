//! Calls that begin with a tool's name: `tasks_add(title="milk")`, or a tag, marker or label, the name, and arguments.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::agent::tools::tool_text::call::{TextCall, ToolText, UNNAMED};
use crate::agent::tools::tool_text::lines;
use crate::agent::tools::tool_text::marks::{self, MARKS};
use crate::agent::tools::tool_text::names::ToolNames;
use crate::agent::tools::tool_text::tags::{self, Tags};
use crate::text::{Form, loose_arguments, loose_marked_value, loose_value};

/// Reads the call of the tool named at this place. `last` is the end of the previous call, which another may follow on
/// its line.
pub(super) fn call(
    text: &str,
    name: &str,
    place: Range<usize>,
    last: usize,
    tagged: &mut Tags<'_>,
) -> Option<ToolText> {
    let before = marks::before(text, place.start);
    let behind = text.get(place.end..)?;
    let core = |arguments, end, is_certain| {
        let calls = vec![TextCall { name: name.to_owned(), arguments }];
        ToolText { calls, is_certain, ..ToolText::at(place.start..end) }
    };
    if before.ends_with('<') && behind.starts_with('>') {
        let (arguments, length) = tags::of_own_tag(name, behind.get(1..)?)?;
        let end = place.end + 1 + length;
        let span = place.start - 1..end;
        return Some(ToolText { span, is_word: !is_compound(name), ..core(arguments, end, true) });
    }
    if let Some((arguments, n_before, n_behind)) = lines::arguments(before, behind) {
        let end = place.end + n_behind;
        return Some(ToolText { span: place.start - n_before..end, ..core(arguments, end, true) });
    }
    let front = MARKS.front.captures(before)?;
    let tag = front.name("tag");
    let label = front.name("label");
    let is_marked = tag.is_some() || label.is_some();
    let is_first = MARKS.line.is_match(before);
    let is_next = 0 < last && text.get(last..place.start).is_some_and(marks::is_between);
    if (is_first || is_next || tag.is_some())
        && let Some((arguments, length, form)) = in_brackets(behind)
    {
        let is_word = !is_compound(name);
        // `calculate();` is a function of a program, which may occur outside a block of code.
        let is_program = is_word && behind.get(length..).is_some_and(|rest| rest.starts_with(';'));
        let piece = core(arguments, place.end + length, form < Form::Guess);
        return (!is_program).then_some(ToolText { is_word, ..piece });
    }
    if !is_marked && !is_first {
        return None;
    }
    let between = MARKS.between.find(marks::behind(text, place.end)).map_or("", |between| between.as_str());
    let loose = if tag.is_some() { loose_marked_value } else { loose_value };
    if let Some(read) = behind.get(between.len()..).and_then(loose)
        && let Value::Object(arguments) = read.value
    {
        let end = between.len() + read.length;
        // Includes the end of a fence that was opened in between.
        let rest = behind.get(end..).unwrap_or_default();
        let closed = rest.trim_start().strip_prefix("```").filter(|_| between.contains("```"));
        let is_certain = read.form < Form::Guess && !read.is_cut;
        return Some(core(arguments, text.len() - closed.unwrap_or(rest).len(), is_certain));
    }
    if !is_marked {
        return None;
    }
    let rest = behind.get(between.len()..).unwrap_or_default();
    if tag.is_some() && rest.starts_with('{') {
        // Unreadable arguments are part of the call, not words.
        let length = rest.find("\n\n").unwrap_or(rest.len());
        return Some(core(Map::new(), place.end + between.len() + length, false));
    }
    let read = tagged.arguments(place.end);
    Some(core(read.arguments, read.end, read.is_closed))
}

/// Returns whether a name has more than one word. Such a name hardly means anything else.
fn is_compound(name: &str) -> bool {
    name.contains(['_', '-', '.'])
}

/// Reads a text that is one call.
pub(super) fn whole(text: &str, names: &ToolNames<'_>) -> Option<TextCall> {
    let (name, _) = text.trim().split_once('(')?;
    let (arguments, length, form) = in_brackets(text.trim().get(name.len()..)?)?;
    let is_whole = name.len() + length == text.trim().len() && form < Form::Guess && !arguments.contains_key(UNNAMED);
    let name = name.replace('\\', "");
    (is_whole && names.contains(&name)).then_some(TextCall { name, arguments })
}

/// Returns the arguments in round brackets at the start of a text, and their length.
fn in_brackets(text: &str) -> Option<(Map<String, Value>, usize, Form)> {
    let read = loose_arguments(text)?;
    let Value::Object(arguments) = read.value else { return None };
    // Not closed: the rest of the arguments is unknown.
    Some((arguments, read.length, if read.is_cut { Form::Guess } else { read.form }))
}
