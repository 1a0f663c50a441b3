//! The words of HTML: without its tags, and with the characters that its references stand for.

use encoding_rs::WINDOWS_1252;
use quick_xml::escape::resolve_html5_entity;

/// The longest name or number of a reference.
const REFERENCE_LENGTH_MAX: usize = 32;

/// The elements whose tags are taken out. Others stay: titles have `Vec<u8>` in them.
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

/// The words of HTML. Each reference is read once: `&amp;lt;` is `&lt;`.
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

/// The length of the tag or comment at the beginning, if it is one of HTML.
fn tag(here: &str) -> Option<usize> {
    let end = here.find('>')? + 1;
    let name = here.get(1..end - 1)?.trim_start_matches('/');
    let name = name.split(|c: char| c.is_whitespace() || c == '/').next()?.to_ascii_lowercase();
    let is_element = ELEMENTS.contains(&name.as_str()) || name.starts_with("!--");
    is_element.then_some(end)
}

/// What a reference stands for, with its length, from behind its `&` on.
fn reference(behind: &str) -> Option<(String, usize)> {
    let name = name(behind)?;
    let sign = match number(name) {
        Some(number) => character(number).unwrap_or(char::REPLACEMENT_CHARACTER).to_string(),
        None => resolve_html5_entity(name)?.to_owned(),
    };
    Some((sign, name.len() + "&;".len()))
}

/// The name or number of a reference, from behind its `&` on.
pub(super) fn name(behind: &str) -> Option<&str> {
    let end = behind.bytes().take(REFERENCE_LENGTH_MAX).position(|byte| byte == b';')?;
    let name = behind.get(..end)?;
    let is_name = name.bytes().enumerate().all(|(at, byte)| byte.is_ascii_alphanumeric() || at == 0 && byte == b'#');
    (is_name && !name.is_empty()).then_some(name)
}

/// The number of a reference such as `#8217` or `#x2019`. `None` if it is a name.
pub(super) fn number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('#')?;
    let number = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    Some(number.unwrap_or(u32::MAX))
}

/// The character of a number. Those of control characters mean Windows-1252, as in browsers.
pub(super) fn character(number: u32) -> Option<char> {
    match u8::try_from(number) {
        Ok(byte @ 0x80..=0x9f) => WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next(),
        _ => char::from_u32(number).filter(|character| *character != '\0'),
    }
}
