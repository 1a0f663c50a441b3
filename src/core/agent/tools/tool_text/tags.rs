//! Arguments in tags: `<parameter=title>milk</parameter>`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::agent::tools::tool_text::marks::{self, MARKS};
use crate::text::first_bytes;

/// The maximum length of a call whose name is itself a tag, in bytes.
const OWN_TAG_MAX: usize = 8_192;

/// Reads arguments in tags at growing places of a text. It remembers closing tags that do not occur any more, so that a
/// text without them is not searched once for each call.
pub(super) struct Tags<'a> {
    text: &'a str,
    absent: BTreeSet<String>,
}

pub(super) struct Tagged {
    pub(super) arguments: Map<String, Value>,
    pub(super) end: usize,
    /// The closing tag of the call follows.
    pub(super) is_closed: bool,
}

impl<'a> Tags<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, absent: BTreeSet::new() }
    }

    /// Reads consecutive arguments from this place on.
    pub(super) fn arguments(&mut self, place: usize) -> Tagged {
        let mut arguments = Map::new();
        let mut end = place;
        while let Some(opening) = MARKS.argument.captures(marks::behind(self.text, end)) {
            let group = |at: usize| opening.get(at).map(|group| group.as_str());
            let parts = (1..=MARKS.argument.captures_len() / 3).find_map(|kind| {
                Some((group(3 * kind - 2)?, group(3 * kind - 1)?.trim(), group(3 * kind).unwrap_or_default()))
            });
            let (Some(whole), Some((tag, key, attributes))) = (opening.get(0), parts) else { break };
            let start = end + whole.end();
            let is_on_lines = whole.as_str().contains("parameter=") || tag == key;
            let Some(length) = self.value(start, tag) else {
                // Half a call: its paragraph is not words.
                let rest = self.text.get(start..).unwrap_or_default();
                let end = start + rest.find("\n\n").unwrap_or(rest.len());
                return Tagged { arguments, end, is_closed: false };
            };
            let value = self.text.get(start..start + length).unwrap_or_default();
            arguments.insert(unescaped(key), typed(value, attributes, is_on_lines));
            end = start + length + closing(tag).len();
        }
        let behind = marks::behind(self.text, end);
        if let Some(closing) = MARKS.call_end.find(behind) {
            return Tagged { arguments, end: end + closing.end(), is_closed: true };
        }
        // A tag that is cut off belongs to the call.
        let rest = behind.trim_start_matches(|sign: char| sign.is_whitespace() || ">\"'".contains(sign));
        let is_cut = rest.starts_with('<') && !rest.contains('>') && self.text.ends_with(behind);
        Tagged { arguments, end: end + if is_cut { behind.len() } else { 0 }, is_closed: false }
    }

    /// Returns the length of a value that ends with this tag. The tag ends it only if another argument or the end of
    /// the call follows, because a value may mention the tag.
    fn value(&mut self, start: usize, tag: &str) -> Option<usize> {
        let closing = closing(tag);
        if self.absent.contains(&closing) {
            return None;
        }
        let rest = self.text.get(start..).unwrap_or_default();
        let is_end = |at: &usize| {
            let behind = marks::behind(rest, at + closing.len());
            behind.trim().is_empty() || MARKS.argument.is_match(behind) || MARKS.call_end.is_match(behind)
        };
        let length = rest.match_indices(&closing).map(|(at, _)| at).find(is_end);
        if length.is_none() {
            self.absent.insert(closing);
        }
        length
    }
}

/// Reads a call whose name is itself a tag, `<status><metric>cpu</metric></status>`. Returns its arguments and its
/// length from here.
pub(super) fn of_own_tag(name: &str, rest: &str) -> Option<(Map<String, Value>, usize)> {
    let closing = closing(name);
    let length = first_bytes(rest, OWN_TAG_MAX).find(&closing)?;
    let mut arguments = Map::new();
    let mut inside = rest.get(..length)?.trim();
    while let Some(opened) = inside.strip_prefix('<') {
        let (key, value) = opened.split_once('>')?;
        let (value, behind) = value.split_once(&self::closing(key))?;
        arguments.insert(key.to_owned(), typed(value, "", true));
        inside = behind.trim_start();
    }
    inside.is_empty().then_some((arguments, length + closing.len()))
}

/// Returns the closing mark of an argument.
fn closing(tag: &str) -> String {
    match tag.strip_suffix("arg_key") {
        Some(space) => format!("</{space}arg_value>"),
        None if tag == "argument" => "<|close|>argument<|sep|>".to_owned(),
        None => format!("</{tag}>"),
    }
}

/// Reads a value as its tag says: a text with its white space, or JSON. If a value is on separate lines, the line
/// breaks at its edges belong to the tags.
fn typed(value: &str, attributes: &str, is_on_lines: bool) -> Value {
    let is_json = attributes.contains("string=\"false\"")
        || attributes.contains("type=\"") && !attributes.contains("type=\"string\"");
    if let Some(value) = is_json.then(|| serde_json::from_str(value.trim()).ok()).flatten() {
        return value;
    }
    let text = match is_on_lines {
        true => {
            let value = value.strip_prefix("\r\n").or(value.strip_prefix('\n')).unwrap_or(value);
            value.strip_suffix("\r\n").or(value.strip_suffix('\n')).unwrap_or(value)
        }
        false => value,
    };
    Value::String(text.to_owned())
}

/// Removes XML's escapes from a key.
fn unescaped(key: &str) -> String {
    key.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}
