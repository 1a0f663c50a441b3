//! The names of tools that a text may call.

use std::collections::BTreeMap;

use crate::agent::tools::tool_text::marks::list;

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
