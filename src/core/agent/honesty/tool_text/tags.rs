//! Tags of vendors, with ASCII or full-width bars, in pairs or not.

use std::collections::BTreeMap;

use crate::agent::honesty::tool_text::payload::payload_end;
use crate::agent::honesty::tool_text::source::Source;
use crate::agent::honesty::tool_text::span::Span;

/// The longest name of a tag and the longest list of attributes, in bytes.
const NAME_LENGTH_MAX: usize = 40;
const ATTRIBUTES_LENGTH_MAX: usize = 300;

/// Tags around a call that mean nothing else.
const PAIRED: [&str; 12] = [
    "function_call",
    "function_calls",
    "functioncall",
    "tool_call",
    "tool_calls",
    "tool_calls_section",
    "tool_code",
    "tool_request",
    "tool_use",
    "toolcall",
    "use_mcp_tool",
    "use_tool",
];

/// What a tag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Begins a call that its closing tag ends.
    Opens,
    /// Ends one.
    Closes,
    /// Ends one, and may be something else where none is open.
    MayClose,
    /// Has the call behind it, and no end.
    Announces,
    /// Begins a message, perhaps to a tool.
    Header,
    /// Ends such a message.
    EndsMessage,
}

struct Tag {
    span: Span,
    name: String,
    role: Role,
}

/// The calls in tags, and closing tags without a call.
pub(super) fn calls(source: &Source<'_>) -> Vec<Span> {
    let tags: Vec<_> = source.prose().into_iter().flat_map(|part| tags(source, part)).collect();
    let partners = partners(&tags);
    let mut calls: Vec<Span> = Vec::new();
    for (n, tag) in tags.iter().enumerate() {
        let done = calls.last().map_or(0, |last| last.end);
        if tag.span.start < done {
            continue;
        }
        let end = match tag.role {
            Role::Opens => partners.get(&n).copied().unwrap_or_else(|| payload_end(source, tag.span.end)),
            Role::Closes => tag.span.end,
            Role::Announces => payload_end(source, tag.span.end),
            Role::Header => match message_end(source, tags.get(n..).unwrap_or_default()) {
                Some(end) => end,
                None => continue,
            },
            Role::MayClose | Role::EndsMessage => continue,
        };
        calls.push(tag.span.start..end);
    }
    calls
}

/// For each opening tag whose next namesake closes it: where that one ends.
fn partners(tags: &[Tag]) -> BTreeMap<usize, usize> {
    let mut next: BTreeMap<&str, &Tag> = BTreeMap::new();
    let mut partners = BTreeMap::new();
    for (n, tag) in tags.iter().enumerate().rev() {
        let closing = next.insert(&tag.name, tag).filter(|next| matches!(next.role, Role::Closes | Role::MayClose));
        if let (Role::Opens, Some(closing)) = (tag.role, closing) {
            partners.insert(n, closing.span.end);
        }
    }
    partners
}

/// Where a message to a tool ends that begins with the first of these tags; `None` if it is to somebody else.
fn message_end(source: &Source<'_>, tags: &[Tag]) -> Option<usize> {
    let (first, rest) = tags.split_first()?;
    let header: String =
        source.from(first.span.end).chars().take(80).take_while(|&character| character != '<').collect();
    if !header.contains(" to=") {
        return None;
    }
    // A call ends with its own tag, and at the latest where the next message begins.
    let begins = |tag: &&Tag| tag.role == Role::Header && tag.name == first.name;
    let inside = rest.iter().take_while(|tag| !begins(tag));
    let ending = inside.into_iter().find(|tag| tag.role == Role::EndsMessage);
    Some(ending.map_or_else(|| payload_end(source, first.span.end + header.len()), |tag| tag.span.end))
}

fn tags(source: &Source<'_>, part: Span) -> Vec<Tag> {
    let text = source.lower(part.clone());
    let starts = text.match_indices('<').map(|(at, _)| part.start + at);
    starts.filter_map(|start| tag(source, start)).filter(|tag| !source.is_quoted(&tag.span)).collect()
}

fn tag(source: &Source<'_>, start: usize) -> Option<Tag> {
    let whole = source.from(start);
    let inside = whole.strip_prefix('<')?;
    let (inside, closes) = past_marks(inside);
    let (name, rest) = name(inside);
    let (name, rest, closes) = match name.as_str() {
        // One vendor puts its own name in front.
        "dsml" => {
            let (inside, also_closes) = past_marks(rest);
            let (name, rest) = self::name(inside);
            (name, rest, closes || also_closes)
        }
        _ => (name, rest, closes),
    };
    let bare_end = rest.trim_start_matches(['|', '｜']).strip_prefix('>');
    let (name, role) = role(&name, closes, bare_end.is_some())?;
    let rest = bare_end.or_else(|| past_attributes(rest))?;
    Some(Tag { span: start..start + whole.len() - rest.len(), name, role })
}

/// Past bars and a slash, and whether there was one.
fn past_marks(text: &str) -> (&str, bool) {
    let inside = text.trim_start_matches(['|', '｜', '/']);
    let closes = text.chars().take(3).take_while(|mark| "|｜/".contains(*mark)).any(|mark| mark == '/');
    (inside, closes)
}

/// A name in ASCII, without its namespace, and the rest.
fn name(text: &str) -> (String, &str) {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "_-:▁".contains(character);
    let end = text.char_indices().take(NAME_LENGTH_MAX).find(|&(_, character)| !is_part(character));
    let (name, rest) = text.split_at(end.map_or(0, |(at, _)| at));
    let name = name.rsplit(':').next().unwrap_or_default();
    (name.replace(['▁', '-'], "_"), rest)
}

fn past_attributes(rest: &str) -> Option<&str> {
    if !rest.starts_with(['=', ' ', '\n', '\t']) {
        return None;
    }
    let end = rest.char_indices().take(ATTRIBUTES_LENGTH_MAX).find(|&(_, character)| character == '>');
    end.and_then(|(at, _)| rest.get(at + 1..))
}

/// The name that a tag is paired by, and what it does. `None`: a tag of another kind.
fn role(name: &str, closes: bool, is_bare: bool) -> Option<(String, Role)> {
    let paired = |name: &str, role| Some((name.to_owned(), role));
    match name {
        _ if PAIRED.contains(&name) => paired(name, if closes { Role::Closes } else { Role::Opens }),
        // Ordinary words: only with a name in the tag.
        "invoke" | "function" if closes => paired(name, Role::MayClose),
        "invoke" | "function" if !is_bare => paired(name, Role::Opens),
        "python_tag" => paired(name, Role::Announces),
        "channel" | "start" if is_bare => paired(name, Role::Header),
        "call" | "end" | "return" if is_bare => paired("message", Role::EndsMessage),
        _ => {
            let begun = name.strip_suffix("_begin").filter(|name| PAIRED.contains(name));
            let ended = name.strip_suffix("_end").filter(|name| PAIRED.contains(name));
            begun
                .and_then(|name| paired(name, Role::Opens))
                .or_else(|| ended.and_then(|name| paired(name, Role::Closes)))
        }
    }
}
