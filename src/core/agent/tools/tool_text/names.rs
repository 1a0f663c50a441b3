//! The names of the tools that a text may call.

use std::collections::BTreeMap;

use crate::agent::tools::tool_text::marks::list;

/// The longest name that is read, in bytes.
const LENGTH_MAX: usize = 128;

/// The names of this bot's tools. A written call is recognised by them: no pattern says which signs a name has.
#[derive(Clone, Debug, Default)]
pub struct ToolNames<'a> {
    /// By their first byte, the longest first.
    names: BTreeMap<u8, Vec<&'a str>>,
    /// Other names are read as well, where a mark makes them names of tools.
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
    /// The same, and any other name that a mark makes the name of a tool.
    #[must_use]
    pub(super) fn with_others(&self) -> Self {
        Self { with_others: true, ..self.clone() }
    }

    /// Whether this is the name of a tool.
    pub fn contains(&self, name: &str) -> bool {
        let first = name.bytes().next();
        first.and_then(|first| self.names.get(&first)).is_some_and(|names| names.contains(&name))
    }

    /// Whether this may name a tool in a call that names nothing else.
    pub(super) fn reads(&self, name: &str) -> bool {
        self.contains(name) || self.with_others && is_name(name)
    }

    /// The name that begins at this place, and its length in the text: Markdown may have escaped its signs.
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

/// Whether no name goes on at this place. A dot may follow a namespace.
fn begins(text: &str, place: usize) -> bool {
    let mut before = text.get(..place).unwrap_or_default().chars().rev();
    match before.next() {
        Some('-') => !before.next().is_some_and(is_of_word),
        Some(sign) => !is_of_word(sign),
        None => true,
    }
}

/// The length of a name at the beginning of a text, if it is there and ends there.
fn written(text: &str, name: &str) -> Option<usize> {
    let mut length = 0;
    for sign in name.chars() {
        let rest = text.get(length..)?;
        let escaped = rest.strip_prefix('\\').filter(|_| "_-.".contains(sign)).unwrap_or(rest);
        length += rest.len() - escaped.strip_prefix(sign)?.len();
    }
    ends(text.get(length..)?).then_some(length)
}

/// Whether no name goes on at the beginning of this text.
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

/// Whether this has the signs of a tool's name.
fn is_name(name: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "_-.".contains(sign);
    name.len() <= LENGTH_MAX && name.starts_with(|sign: char| sign.is_ascii_alphabetic()) && name.chars().all(is_sign)
}

/// Any name at this place, if the sign in front of it may belong to a mark.
fn other(text: &str, place: usize) -> Option<(String, usize)> {
    let is_marked = text.get(..place)?.trim_end().ends_with(['<', '>', '=', '"', '\'', '.', ']', '[', ':', ',']);
    let rest = text.get(place..).filter(|_| is_marked)?;
    let behind = rest.trim_start_matches(|sign: char| is_of_word(sign) || "-.\\".contains(sign));
    let name = rest.strip_suffix(behind)?.trim_end_matches(['.', '-', '\\']);
    let plain = name.replace('\\', "");
    // The name follows its namespace.
    let is_space = list("namespaces").iter().any(|space| plain.split('.').next() == Some(space) && plain != *space);
    (is_name(&plain) && !is_space).then_some((plain, name.len()))
}
