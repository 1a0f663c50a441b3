//! The wrapping of a call: tags, brackets, labels, and a made-up answer right behind it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::agent::pattern::pattern;
use crate::text::{first_bytes, last_bytes};

/// A tag, marker or label in front.
static FRONT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:<[|｜/]?[^<>\n! ]{0,40}(?:tool|function|invoke|channel|message|start|python|constrain|call|DSML|commentary)[^<>\n]{0,60}>",
        r"|<\?xml[^<>\n]{0,60}>|\[/?TOOL_CALLS?\]|functools|assistant|commentary|(?:default_api|functions|tools)\.|>>>|\[ARGS\]|```\w*",
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

/// What may stand on both sides, with white space: brackets or quotation marks.
const PAIRS: [(&str, char); 4] = [("[", ']'), ("print(", ')'), ("\"", '"'), ("'", '\'')];

/// The span with everything that wraps it, but nothing before `behind`.
pub(super) fn grown(text: &str, mut span: Range<usize>, behind: usize) -> Range<usize> {
    for _ in 0..MARKS_MAX {
        let before = last_bytes(text.get(behind..span.start).unwrap_or_default(), LOOK);
        let after = first_bytes(text.get(span.end..).unwrap_or_default(), LOOK);
        let (front, back) = match (FRONT.find(before), BACK.find(after)) {
            (None, None) => pair(before, after),
            (front, back) => (front.map_or(0, |mark| mark.len()), back.map_or(0, |mark| mark.len())),
        };
        if front + back == 0 {
            break;
        }
        span = span.start - front..span.end + back;
    }
    // What begins on a later line is not part of the line before.
    let lead = text.get(span.clone()).unwrap_or_default();
    span.start += lead.len() - lead.trim_start().len();
    span
}

/// The lengths of a pair around a call.
fn pair(before: &str, after: &str) -> (usize, usize) {
    let (front, back) = (before.trim_end(), after.trim_start().trim_start_matches([',', ';']));
    let held = |(open, close): &(&str, char)| Some((front.strip_suffix(open)?, back.strip_prefix(*close)?));
    let rest = PAIRS.iter().find_map(held).unwrap_or((before, after));
    (before.len() - rest.0.len(), after.len() - rest.1.len())
}

/// The length of a made-up answer behind a call, if there is one.
pub(super) fn answer(text: &str, end: usize) -> usize {
    let behind = first_bytes(text.get(end..).unwrap_or_default(), ANSWER_MAX);
    ANSWER.find(behind).map_or(0, |answer| answer.as_str().trim_end().len())
}

/// Whether a text between two calls belongs to them.
pub(super) fn is_between(text: &str) -> bool {
    text.chars().all(|sign| sign.is_whitespace() || ",;[]'\"".contains(sign))
}

/// Whether a span is all that is in this code, but for its marks and their info string.
pub(super) fn fills(text: &str, span: &Range<usize>, code: &Range<usize>) -> bool {
    let before = text.get(code.start..span.start).unwrap_or_default().trim_start_matches('`').trim();
    let after = text.get(span.end..code.end).unwrap_or_default().trim_end_matches('`').trim();
    before.chars().all(|sign| sign.is_alphanumeric() || sign == '_') && after.is_empty()
}

/// Whether nothing but marks of lists and quotes stands beside a span on its lines.
pub(super) fn is_alone(text: &str, span: &Range<usize>) -> bool {
    let before = last_bytes(text.get(..span.start).unwrap_or_default(), LOOK).rsplit('\n').next();
    let after = first_bytes(text.get(span.end..).unwrap_or_default(), LOOK).split('\n').next();
    [before, after].into_iter().flatten().all(|side| side.trim_matches(['>', '-', '*', ' ', '\t', '\r']).is_empty())
}
