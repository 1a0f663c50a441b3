//! The names of tools that a text may call.
//!
//! Also the calls that begin with a tool's name: `tasks_add(title="milk")`, or a tag, marker or label, the name, and arguments.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Map, Value};

use crate::agent::tools::tool_text::call::{TextCall, ToolText, UNNAMED};
use crate::agent::tools::tool_text::marks::{MARKS, list};
use crate::agent::tools::tool_text::tags::Tags;
use crate::agent::tools::tool_text::{lines, marks, tags};
use crate::text::{Form, loose_arguments, loose_marked_value, loose_value};

/// The maximum length of a name, in bytes.
const LENGTH_MAX: usize = 128;

/// The names of this bot's tools. They identify written calls, because names have no common pattern of characters.
#[derive(Clone, Debug, Default)]
pub struct ToolNames<'a> {
    /// By first byte, the longest first.
    names: BTreeMap<u8, Vec<&'a str>>,
    /// Also accepts other names that a mark identifies as tools.
    with_others: bool,
}

impl<'a> FromIterator<&'a str> for ToolNames<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(all: I) -> Self {
        let mut names: BTreeMap<u8, Vec<&str>> = BTreeMap::new();
        for name in all {
            if let Some(first) = name.bytes().next() {
                names.entry(first).or_default().push(name);
            }
        }
        names.values_mut().for_each(|names| names.sort_by_key(|name| std::cmp::Reverse(name.len())));
        Self { names, with_others: false }
    }
}

impl ToolNames<'_> {
    /// Also accepts any other name that a mark identifies as a tool.
    #[must_use]
    pub(super) fn with_others(&self) -> Self {
        Self { with_others: true, ..self.clone() }
    }

    pub fn contains(&self, name: &str) -> bool {
        let first = name.bytes().next();
        first.and_then(|first| self.names.get(&first)).is_some_and(|names| names.contains(&name))
    }

    /// Returns whether this may be the name of a call that contains no other name.
    pub(super) fn reads(&self, name: &str) -> bool {
        self.contains(name) || self.with_others && is_name(name)
    }

    /// Returns the name that begins at this place, and its length in the text, where Markdown may have escaped its
    /// characters.
    pub(in crate::agent::tools) fn at(&self, text: &str, place: usize) -> Option<(String, usize)> {
        let rest = text.get(place..)?;
        if !begins(text, place) {
            return None;
        }
        let known = self.names.get(rest.as_bytes().first()?).into_iter().flatten();
        let known = known.filter_map(|name| Some(((*name).to_owned(), written(rest, name)?)));
        known.into_iter().next().or_else(|| self.with_others.then(|| other(text, place)).flatten())
    }
}

/// Returns whether a name can begin here, so no name continues across this place. A dot may follow a namespace.
fn begins(text: &str, place: usize) -> bool {
    let mut before = text.get(..place).unwrap_or_default().chars().rev();
    match before.next() {
        Some('-') => !before.next().is_some_and(is_of_word),
        Some(sign) => !is_of_word(sign),
        None => true,
    }
}

/// Returns the length of a name at the start of a text, if it is there and ends there.
fn written(text: &str, name: &str) -> Option<usize> {
    let mut length = 0;
    for sign in name.chars() {
        let rest = text.get(length..)?;
        let escaped = rest.strip_prefix('\\').filter(|_| "_-.".contains(sign)).unwrap_or(rest);
        length += rest.len() - escaped.strip_prefix(sign)?.len();
    }
    ends(text.get(length..)?).then_some(length)
}

/// Returns whether no name continues at the start of this text.
fn ends(text: &str) -> bool {
    let mut behind = text.chars();
    match behind.next() {
        Some('-' | '.' | '\\') => !behind.next().is_some_and(is_of_word),
        Some(sign) => !is_of_word(sign),
        None => true,
    }
}

fn is_of_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Returns whether all characters may occur in a tool's name.
fn is_name(name: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "_-.".contains(sign);
    name.len() <= LENGTH_MAX && name.starts_with(|sign: char| sign.is_ascii_alphabetic()) && name.chars().all(is_sign)
}

/// Returns any name at this place, if the character in front of it may belong to a mark.
fn other(text: &str, place: usize) -> Option<(String, usize)> {
    let is_marked = text.get(..place)?.trim_end().ends_with(['<', '>', '=', '"', '\'', '.', ']', '[', ':', ',']);
    let rest = text.get(place..).filter(|_| is_marked)?;
    let behind = rest.trim_start_matches(|sign: char| is_of_word(sign) || "-.\\".contains(sign));
    let name = rest.strip_suffix(behind)?.trim_end_matches(['.', '-', '\\']);
    let plain = name.replace('\\', "");
    // Skip a namespace: the name follows behind it.
    let is_space = list("namespaces").iter().any(|space| plain.split('.').next() == Some(space) && plain != *space);
    (is_name(&plain) && !is_space).then_some((plain, name.len()))
}

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
