//! The wrapping of a call: tags, brackets, labels, and a made-up answer right behind it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::agent::pattern::pattern;
use crate::text::first_bytes;

/// A tag, marker or label in front.
static FRONT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:<[|｜/]?[^<>\n! ]{0,40}(?:tool|function|invoke|channel|message|start|python|constrain|call|DSML|commentary)[^<>\n]{0,60}>",
        r"|\[/?TOOL_CALLS?\]|functools|assistant|commentary|(?:default_api|functions|tools)\.|>>>|\[ARGS\]|```\w*",
        r"|(?:^|\n)[\s>#*_🔧🛠-]*(?:tool|function)[ _](?:calls?|execution|request)[*_\s]*:?[*_]*)\s*$",
    ))
});

/// A tag or marker behind.
static BACK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^\s*(?:<[|｜/]?[^<>\n]{0,60}(?:tool|function|invoke|channel|message|end|eom|eot|call|DSML|return)[^<>\n]{0,60}>",
        r"|\[/TOOL_CALLS?\]|</s>)",
    ))
});

/// A made-up answer behind a call, up to the end of its paragraph.
static ANSWER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)^\s*[>#*_\s]*(?:tool |function )?(?:result|output|response|observation)s?[*_]*:[*_]*(?:[^\n]+\n?)*")
});

/// How much of the text around a call is looked at for one mark, in bytes.
const LOOK: usize = 160;

/// The longest made-up answer that goes with a call, in bytes.
const ANSWER_MAX: usize = 4_096;

/// The most marks on either side.
const MARKS_MAX: usize = 8;

/// The span with everything that wraps it, but nothing before `behind`.
pub(super) fn grown(text: &str, span: Range<usize>, behind: usize) -> Range<usize> {
    let mut span = span;
    for _ in 0..MARKS_MAX {
        let before = last_bytes(text.get(behind..span.start).unwrap_or_default(), LOOK);
        let after = first_bytes(text.get(span.end..).unwrap_or_default(), LOOK);
        let front = FRONT.find(before).map(|mark| span.start - (before.len() - mark.start()));
        let back = BACK.find(after).map(|mark| span.end + mark.end());
        let pair = pair(before, after);
        match (front, back, pair) {
            (None, None, None) => break,
            (None, None, Some((front, back))) => span = span.start - front..span.end + back,
            _ => span = front.unwrap_or(span.start)..back.unwrap_or(span.end),
        }
    }
    // What begins on a later line is not part of the line before.
    let lead = text.get(span.clone()).unwrap_or_default();
    span.start += lead.len() - lead.trim_start().len();
    span
}

/// The length of a made-up answer behind a call, if there is one.
pub(super) fn answer(text: &str, end: usize) -> usize {
    let behind = first_bytes(text.get(end..).unwrap_or_default(), ANSWER_MAX);
    ANSWER.find(behind).map_or(0, |answer| answer.as_str().trim_end().len())
}

/// Brackets or quotation marks on both sides, as their lengths with the white space.
fn pair(before: &str, after: &str) -> Option<(usize, usize)> {
    let (front, back) = (before.trim_end(), after.trim_start());
    let back_open = back.trim_start_matches([',', ';']);
    let (opening, closing) = match front.chars().next_back()? {
        '[' => ("[", ']'),
        '(' => ("print(", ')'),
        '"' => ("\"", '"'),
        '\'' => ("'", '\''),
        _ => return None,
    };
    let (outside, rest) = (front.strip_suffix(opening)?, back_open.strip_prefix(closing)?);
    Some((before.len() - outside.len(), after.len() - rest.len()))
}

/// Whether a text between two calls belongs to them.
pub(super) fn is_between(text: &str) -> bool {
    text.chars().all(|sign| sign.is_whitespace() || ",;[]'\"".contains(sign))
}

/// Whether a span is all that is in this code, and whether the code stands on lines of its own.
pub(super) fn fills(text: &str, span: &Range<usize>, code: &Range<usize>) -> (bool, bool) {
    let before = text.get(code.start..span.start).unwrap_or_default().trim_start_matches('`');
    let after = text.get(span.end..code.end).unwrap_or_default().trim_end_matches('`');
    let info =
        before.split_once('\n').map_or(before, |(info, rest)| if rest.trim().is_empty() { info } else { before });
    let is_info = |text: &str| text.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
    let is_filled = is_info(info.trim()) && after.trim().is_empty();
    let before = last_bytes(text.get(..code.start).unwrap_or_default(), LOOK);
    let after = first_bytes(text.get(code.end..).unwrap_or_default(), LOOK);
    let is_alone = before.rsplit('\n').next().is_none_or(is_blank) && after.split('\n').next().is_none_or(is_blank);
    (is_filled, is_alone)
}

fn is_blank(text: &str) -> bool {
    text.trim_matches(['>', '-', '*', ' ', '\t', '\r']).is_empty()
}

/// The last `max` bytes of a text, or a few less.
pub(super) fn last_bytes(text: &str, max: usize) -> &str {
    let mut start = text.len().saturating_sub(max);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}
