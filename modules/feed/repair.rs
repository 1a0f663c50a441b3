//! Repairs feeds that the parser refuses, so that one bad character or entry does not cost the whole feed. It fixes
//! invalid bytes, a bare `&` and references to no character, and leaves out entries that are still broken.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use feed_rs::model::Feed;
use quick_xml::escape::resolve_html5_entity;
use serde_json::{Map, Value, json};

use super::html;

/// Where the XML declaration is looked for, in bytes.
const DECLARATION_MAX: usize = 200;

/// The longest tag of a root, in bytes, and the most entries after it that are tried one by one.
const ROOT_MAX: usize = 4_096;
const TRIED_MAX: usize = 1_000;

/// Decodes a feed and removes its XML declaration. Invalid bytes become `�`.
pub(super) fn decoded(bytes: &[u8]) -> String {
    let encoding = match bytes {
        [b'<', 0, ..] => UTF_16LE,
        [0, b'<', ..] => UTF_16BE,
        _ => declared(bytes).unwrap_or(UTF_8),
    };
    let text = encoding.decode(bytes).0;
    let text = text.trim_start();
    let declaration = text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    declaration.map_or(text, |(_, behind)| behind).to_owned()
}

/// Returns the encoding that an XML declaration names. A declaration that was read as ASCII cannot be UTF-16.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(bytes.get(..DECLARATION_MAX).unwrap_or(bytes));
    let (declaration, _) = head.trim_start_matches('\u{feff}').trim_start().strip_prefix("<?xml")?.split_once("?>")?;
    let (_, value) = declaration.split_once("encoding")?;
    let label = value.split(['"', '\'']).nth(1)?;
    Encoding::for_label(label.as_bytes()).map(Encoding::output_encoding)
}

/// Reads a feed in XML or JSON, with as many of its entries as can be read.
pub(super) fn read(text: &str, parse: impl Fn(&str) -> Option<Feed>) -> Option<Feed> {
    if text.starts_with('{') {
        return parse(&good_items(text, |alone| parse(alone).is_some())?);
    }
    let xml = with_references(text);
    parse(&xml).or_else(|| parse(&good_entries(&xml, |alone| parse(alone).is_some())?))
}

/// Returns XML in which every `&` begins a reference to a character.
fn with_references(xml: &str) -> String {
    let mut mended = String::with_capacity(xml.len());
    let mut rest = xml;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, here) = rest.split_at(at);
        mended.push_str(before);
        let length = match here.strip_prefix('&') {
            Some(behind) => {
                let (sign, length) = reference(behind).unwrap_or_else(|| ("&amp;".to_owned(), 1));
                mended.push_str(&sign);
                length
            }
            None => {
                let length = verbatim(here);
                mended.push_str(here.get(..length).unwrap_or(here));
                length
            }
        };
        rest = here.get(length..).unwrap_or_default();
    }
    mended.push_str(rest);
    mended
}

/// Returns the length of the CDATA or comment at the beginning, which contains no references; otherwise 1, for `<`.
fn verbatim(here: &str) -> usize {
    let kinds = [("<![CDATA[", "]]>"), ("<!--", "-->")];
    let (_, end) = kinds.into_iter().find(|(begin, _)| here.starts_with(begin)).unwrap_or(("<", "<"));
    here.find(end).map_or(here.len(), |at| at + end.len())
}

/// Returns the reference in a form that the parser accepts, and its length. `None` for a bare `&`.
fn reference(behind: &str) -> Option<(String, usize)> {
    let name = html::name(behind)?;
    let whole = format!("&{name};");
    let length = name.len() + "&;".len();
    let Some(number) = html::number(name) else {
        return resolve_html5_entity(name).map(|_| (whole, length));
    };
    let second = || {
        let next = behind.get(name.len()..)?.strip_prefix(";&")?;
        let next = html::name(next)?;
        Some((html::number(next)?, next.len() + "&;".len()))
    };
    // Some programs write a character above U+FFFF as its two UTF-16 surrogates.
    let pair = |(low, more): (u32, usize)| {
        let halves = [u16::try_from(number).ok()?, u16::try_from(low).ok()?];
        let character = char::decode_utf16(halves).next()?.ok().filter(|c| 1 < c.len_utf16())?;
        Some((character.to_string(), length + more))
    };
    Some(match html::character(number) {
        Some(same) if u32::from(same) == number => (whole, length),
        Some(other) => (other.to_string(), length),
        None => second().and_then(pair).unwrap_or_else(|| (char::REPLACEMENT_CHARACTER.to_string(), length)),
    })
}

/// Returns an XML feed with only the entries that can be read by themselves. `None` if the rest of it is broken.
fn good_entries(xml: &str, is_good: impl Fn(&str) -> bool) -> Option<String> {
    let root = xml.match_indices('<').find_map(|(at, _)| {
        let tag = xml.get(at..)?.split_inclusive('>').next()?;
        tag.get(1..)?.starts_with(char::is_alphabetic).then_some(tag)
    })?;
    let name = root.get(1..)?.split(|c: char| c.is_whitespace() || c == '>').next()?;
    let (channel, end) =
        if name == "rss" { ("<channel>", "</channel></rss>".to_owned()) } else { ("", format!("</{name}>")) };
    let (begin, close) = if name == "feed" { ("<entry", "</entry>") } else { ("<item", "</item>") };
    // A truncated feed is not repaired. The next read gets its entries.
    if ROOT_MAX < root.len() || !xml.trim_end().ends_with(&format!("</{name}>")) {
        return None;
    }
    let is_begin = |at: &usize| {
        xml.get(at + begin.len()..).is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace() || c == '>'))
    };
    let begins: Vec<usize> = xml.match_indices(begin).map(|(at, _)| at).filter(is_begin).take(TRIED_MAX).collect();
    let ends = begins.iter().skip(1).copied().chain([xml.len()]);
    let entries = begins.iter().zip(ends).filter_map(|(from, to)| {
        let piece = xml.get(*from..to)?;
        let entry = piece.get(..piece.find(close)? + close.len())?;
        is_good(&format!("{root}{channel}{entry}{end}")).then_some(entry)
    });
    let entries: String = entries.collect();
    Some(format!("{}{entries}{end}", xml.get(..*begins.first()?)?))
}

/// Returns a JSON feed with only the items that can be read by themselves. An `id` may be a number.
fn good_items(text: &str, is_good: impl Fn(&str) -> bool) -> Option<String> {
    let mut feed: Map<String, Value> = serde_json::from_str(&whole_pairs(text)).ok()?;
    let version = feed.get("version")?.clone();
    let items = feed.get_mut("items")?.as_array_mut()?;
    items.retain_mut(|item| {
        if let Some(id) = item.get_mut("id").filter(|id| id.is_number()) {
            *id = Value::String(id.to_string());
        }
        let alone = json!({ "version": version, "title": "", "items": [item] });
        is_good(&alone.to_string())
    });
    Some(Value::Object(feed).to_string())
}

/// Returns JSON without lone surrogates such as `\ud83d`, which cut texts end with.
fn whole_pairs(json: &str) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, here)) = rest.find('\\').map(|at| rest.split_at(at)) {
        mended.push_str(before);
        let unit = |at: usize| u16::from_str_radix(here.get(at..)?.strip_prefix("\\u")?.get(..4)?, 16).ok();
        let (is_kept, length) = match (unit(0), unit(6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (true, 12),
            (Some(0xd800..=0xdfff), _) => (false, 6),
            (Some(_), _) => (true, 6),
            (None, _) => (true, 1 + here.chars().nth(1).map_or(0, char::len_utf8)),
        };
        let (escape, behind) = here.split_at_checked(length).unwrap_or((here, ""));
        mended.push_str(if is_kept { escape } else { "\\ufffd" });
        rest = behind;
    }
    mended.push_str(rest);
    mended
}
