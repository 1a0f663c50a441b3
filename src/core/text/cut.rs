//! Shortens text: to a length, to an excerpt for quoting, and to one line, also an error with its causes.

use std::error::Error;
use std::io;
use std::io::ErrorKind;

use crate::text::{seen, without_hidden};

/// Returns the text in at most `max` characters, the last of them `…` if it was cut.
pub fn shortened(text: &str, max: usize) -> String {
    shortened_with(text, max, "…")
}

/// Returns the text in at most `max` characters, ending with this note if it was cut.
pub fn shortened_with(text: &str, max: usize, note: &str) -> String {
    if first_characters(text, max).len() == text.len() {
        return text.to_owned();
    }
    format!("{}{note}", first_characters(text, max.saturating_sub(note.chars().count())))
}

pub fn first_characters(text: &str, max: usize) -> &str {
    // A text never has more characters than bytes.
    if text.len() <= max {
        return text;
    }
    text.char_indices().nth(max).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Returns the longest prefix of at most `max` UTF-16 units, as Discord's app counts.
pub fn first_utf16(text: &str, max: usize) -> &str {
    let mut used = 0;
    let over = text.char_indices().find(|(_, character)| {
        used += character.len_utf16();
        max < used
    });
    over.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Returns the longest prefix of at most `max` bytes.
pub fn first_bytes(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}

/// Returns the longest suffix of at most `max` bytes.
pub(crate) fn last_bytes(text: &str, max: usize) -> &str {
    let start = text.len().saturating_sub(max);
    let start = (start..=text.len()).find(|start| text.is_char_boundary(*start)).unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

/// Returns the length as Discord's app counts: in UTF-16 units.
pub fn utf16_length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The longest excerpt, in characters, including its ellipsis.
const EXCERPT_LENGTH_MAX: usize = 40;

/// Shortens untrusted text for quoting in a reply: on one line, without characters that hide or end the quotation, and
/// with any `@` defused.
pub fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    let mut length = 0;
    let visible = seen(text).filter(|&(c, is_hidden)| c.is_whitespace() || !(c == '`' || is_hidden));
    let mut visible = visible.map(|(character, _)| character).peekable();
    while let Some(character) = visible.next() {
        if character.is_whitespace() {
            // Collapse a run of white space to one space.
            while visible.next_if(|next| next.is_whitespace()).is_some() {}
        }
        length += 1;
        if length == EXCERPT_LENGTH_MAX && visible.peek().is_some() {
            shown.push('…');
            break;
        }
        shown.push(match character {
            '@' => '＠',
            space if space.is_whitespace() => ' ',
            other => other,
        });
    }
    shown
}

/// Reduces untrusted text to one line of at most `limit` characters, the last of them `…` if it was cut. It cannot
/// mention anyone, hide a link, open a code block or begin a heading, on Discord or elsewhere. Characters that could
/// are replaced by look-alikes.
pub fn one_line(text: &str, limit: usize) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let plain = words.join(" ");
    let plain = without_hidden(&plain);
    let mut plain = plain.chars().map(look_alike);
    let mut line: String = plain.by_ref().take(limit).collect();
    if plain.next().is_some() {
        line.pop();
        line.push('…');
    }
    let heading = line.strip_prefix("-#").or_else(|| line.strip_prefix('#'));
    heading.map(|rest| format!("＃{rest}")).unwrap_or(line)
}

fn look_alike(character: char) -> char {
    match character {
        '`' => '\'',
        '@' => '＠',
        '<' => '‹',
        '>' => '›',
        '[' => '(',
        ']' => ')',
        other => other,
    }
}

/// Returns the error's message, followed by that of each cause.
pub fn with_causes(problem: &dyn Error) -> String {
    let causes = std::iter::successors(problem.source(), |&cause| cause.source());
    causes.fold(problem.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// Explains why a request never reached its host, for the log: `no connection to example.com: connection refused: …`.
/// The text of the error itself is left out, because it may hold an address with a password.
pub fn no_connection(host: Option<&str>, problem: &dyn Error) -> String {
    let causes: Vec<_> = std::iter::successors(problem.source(), |&cause| cause.source()).collect();
    let kind = causes.iter().find_map(|cause| network_cause(*cause));
    let detail = causes.last().map(ToString::to_string).filter(|detail| Some(detail.as_str()) != kind);
    let to = host.map(|host| format!("to {host}"));
    let parts = [kind.map(str::to_owned), detail].into_iter().flatten().map(|part| format!(": {part}"));
    format!("no connection {}{}", to.as_deref().unwrap_or_default(), parts.collect::<String>())
}

/// Returns the word for a known network cause.
fn network_cause(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    let text = cause.to_string();
    if text.starts_with("dns error") || text.starts_with("failed to lookup address") {
        return Some("DNS");
    }
    if text.contains("certificate") || text.contains("TLS") {
        return Some("TLS");
    }
    if text.contains("timed out") {
        return Some("timeout");
    }
    match cause.downcast_ref::<io::Error>()?.kind() {
        ErrorKind::ConnectionRefused => Some("connection refused"),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::UnexpectedEof => Some("connection lost"),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => Some("no route"),
        _ => None,
    }
}

#[cfg(test)]
mod cut_tests {
    use super::*;

    #[test]
    fn a_cut_counts_and_splits_no_character() {
        let cases = [("", 3, ""), ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("äöüß", 3, "äö…"), ("👍👍", 1, "…")];
        for (text, max, expected) in cases {
            assert_eq!(shortened(text, max), expected, "{text}");
        }
        assert_eq!(shortened_with("äöüßä", 5, " (cut)"), "äöüßä");
        assert_eq!(shortened_with("äöüßäöüßä", 8, " (cut)"), "äö (cut)");
        for (max, expected) in [(0, ""), (2, "aä"), (3, "aäb"), (9, "aäb")] {
            assert_eq!(first_characters("aäb", max), expected, "{max}");
        }
        for (max, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "aä"), (9, "aäb")] {
            assert_eq!(first_bytes("aäb", max), expected, "{max}");
        }
        for (max, expected) in [(0, ""), (1, "b"), (2, "b"), (3, "äb"), (9, "aäb")] {
            assert_eq!(last_bytes("aäb", max), expected, "{max}");
        }
        for (max, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "a👍"), (9, "a👍b")] {
            assert_eq!(first_utf16("a👍b", max), expected, "{max}");
        }
        assert_eq!(utf16_length("a👍"), 3);
    }
}

#[cfg(test)]
mod excerpt_tests {
    use super::excerpt;

    #[test]
    fn an_excerpt_is_short_and_cannot_leave_its_quotation() {
        let cases = [
            ("/status", "/status".to_owned()),
            ("a` @everyone\n\t b", "a ＠everyone b".to_owned()),
            ("a\u{200b}b\u{202e}c\u{e0041}\u{0}", "abc".to_owned()),
            ("می\u{200c}خواهم", "می\u{200c}خواهم".to_owned()),
            (&"x".repeat(40), "x".repeat(40)),
            (&"é".repeat(41), format!("{}…", "é".repeat(39))),
            ("``", String::new()),
        ];
        for (text, expected) in cases {
            assert_eq!(excerpt(text), expected, "{text:?}");
        }
    }
}

#[cfg(test)]
mod one_line_tests {
    use super::one_line;

    #[test]
    fn nothing_but_one_short_line_is_left() {
        let cases = [
            ("plain", "plain"),
            ("", ""),
            ("  two\r\n lines\tand more ", "two lines and more"),
            ("@everyone <@1> <#2>", "＠everyone ‹＠1› ‹#2›"),
            ("```rm```", "'''rm'''"),
            ("[here](http://x)", "(here)(http://x)"),
            ("-# generated", "＃ generated"),
            ("# loud", "＃ loud"),
            ("a\u{202e}b\u{200b}c", "abc"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("exactly twenty chars", "exactly twenty chars"),
            ("one more than twenty!", "one more than twent…"),
        ];
        for (text, expected) in cases {
            assert_eq!(one_line(text, 20), expected, "{text:?}");
        }
    }
}

#[cfg(test)]
mod causes_tests {
    use super::*;

    /// An error with a cause, as clients of HTTP return it.
    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Because(&'static str, #[source] io::Error);

    #[test]
    fn what_kept_a_request_from_its_host_is_named_with_the_host() {
        let refused = || io::Error::from(ErrorKind::ConnectionRefused);
        let unknown = || io::Error::other("failed to lookup address information: Name or service not known");
        let certificate = || io::Error::new(ErrorKind::InvalidData, "invalid peer certificate: UnknownIssuer");
        for (cause, expected) in [
            (refused(), "no connection to a.example: connection refused"),
            (
                unknown(),
                "no connection to a.example: DNS: failed to lookup address information: Name or \
                 service not known",
            ),
            (certificate(), "no connection to a.example: TLS: invalid peer certificate: UnknownIssuer"),
            (ErrorKind::TimedOut.into(), "no connection to a.example: timeout: timed out"),
            (io::Error::other("out of sockets"), "no connection to a.example: out of sockets"),
        ] {
            assert_eq!(no_connection(Some("a.example"), &Because("error for https://key@a.example", cause)), expected);
        }
    }
}
