//! Turns HTML into plain text: removes tags and resolves character references.

use encoding_rs::WINDOWS_1252;
use quick_xml::escape::resolve_html5_entity;

const REFERENCE_LENGTH_MAX: usize = 32;

/// The elements whose tags are removed. Others stay, because titles contain text such as `Vec<u8>`.
const ELEMENTS: [&str; 81] = [
    "a",
    "abbr",
    "acronym",
    "address",
    "article",
    "aside",
    "b",
    "bdi",
    "bdo",
    "big",
    "blockquote",
    "body",
    "br",
    "button",
    "center",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "figcaption",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "nav",
    "object",
    "ol",
    "p",
    "picture",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
];

/// The elements whose text is not shown.
const SILENT: [&str; 2] = ["script", "style"];

/// Returns the text of HTML. Each reference is resolved once: `&amp;lt;` becomes `&lt;`.
pub(super) fn words(html: &str) -> String {
    let mut words = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, here) = rest.split_at(at);
        words.push_str(before);
        let read = match here.strip_prefix('&') {
            Some(behind) => reference(behind),
            None => tag(here).map(|length| (" ".to_owned(), length)),
        };
        let (sign, length) = read.unwrap_or_else(|| (here.chars().take(1).collect(), 1));
        words.push_str(&sign);
        rest = here.get(length..).unwrap_or_default();
    }
    words.push_str(rest);
    words
}

/// Returns the length of the invisible part at the beginning: a tag, a comment, or an element whose text is not shown.
fn tag(here: &str) -> Option<usize> {
    if here.starts_with("<!--") {
        return through(here, "-->").or(Some(here.len()));
    }
    let end = through(here, ">")?;
    let inner = here.get(1..end - 1)?;
    let name =
        inner.trim_start_matches('/').split(|c: char| c.is_whitespace() || c == '/').next()?.to_ascii_lowercase();
    if SILENT.contains(&name.as_str()) && !inner.starts_with('/') {
        let closes = |(at, _): &(usize, &str)| {
            here.get(at + 2..at + 2 + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(&name))
        };
        let close = here.match_indices("</").find(closes).map_or(here.len(), |(at, _)| at);
        let behind = here.get(close..).unwrap_or_default();
        return Some(close + through(behind, ">").unwrap_or(behind.len()));
    }
    (ELEMENTS.contains(&name.as_str()) || SILENT.contains(&name.as_str())).then_some(end)
}

/// Returns the length up to and including `mark`.
fn through(text: &str, mark: &str) -> Option<usize> {
    Some(text.find(mark)? + mark.len())
}

/// Resolves the reference after its `&`, and returns the character and the length with `&` and `;`.
fn reference(behind: &str) -> Option<(String, usize)> {
    let name = name(behind)?;
    let sign = match number(name) {
        Some(number) => character(number).unwrap_or(char::REPLACEMENT_CHARACTER).to_string(),
        None => resolve_html5_entity(name)?.to_owned(),
    };
    Some((sign, name.len() + "&;".len()))
}

/// Returns the name or number of the reference after its `&`.
pub(super) fn name(behind: &str) -> Option<&str> {
    let end = behind.bytes().take(REFERENCE_LENGTH_MAX).position(|byte| byte == b';')?;
    let name = behind.get(..end)?;
    let is_name = name.bytes().enumerate().all(|(at, byte)| byte.is_ascii_alphanumeric() || at == 0 && byte == b'#');
    (is_name && !name.is_empty()).then_some(name)
}

/// Parses the number of a reference such as `#8217` or `#x2019`. `None` if it is a name.
pub(super) fn number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('#')?;
    let number = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    Some(number.unwrap_or(u32::MAX))
}

/// Returns the character of a number. The numbers of control characters mean Windows-1252, as in browsers.
pub(super) fn character(number: u32) -> Option<char> {
    match u8::try_from(number) {
        Ok(byte @ 0x80..=0x9f) => WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next(),
        _ => char::from_u32(number).filter(|character| *character != '\0'),
    }
}
