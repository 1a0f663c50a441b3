//! The marks around a call: tags, brackets, labels, and a made-up answer right behind it. Also the marks of a result.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::agent::text::{Lists, pattern};
use crate::text::{first_bytes, last_bytes};

/// The length of text searched on either side of a call, in bytes.
const LOOK: usize = 320;

/// The maximum length of a made-up answer that belongs to a call, in bytes.
const ANSWER_MAX: usize = 4_096;

static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::read(include_str!("marks.toml")));

pub(super) fn list(name: &str) -> &'static [String] {
    LISTS.get(name)
}

pub(crate) struct Marks {
    /// The groups `tag` and `label` match the marks that make a name a call.
    pub(super) front: Regex,
    back: Regex,
    pub(super) line: Regex,
    pub(super) between: Regex,
    /// The opening of an argument in a tag. Each kind has three groups: the tag, the key and its other attributes.
    pub(super) argument: Regex,
    /// The end of a call with arguments in tags, or without arguments.
    pub(super) call_end: Regex,
    /// The lines of a call in YAML: in front of the name, and between it and the arguments.
    pub(super) lines_front: Regex,
    pub(super) lines_between: Regex,
    answer: Regex,
    /// A whole message with the marks of a call that is unreadable.
    pub(crate) broken: Regex,
    /// The beginning of a result: a `tag`, a label that names its tool (`named` or `called`), or a brace.
    pub(crate) result: Regex,
    pub(crate) result_front: Regex,
    pub(crate) result_end: Regex,
}

pub(crate) static MARKS: LazyLock<Marks> = LazyLock::new(|| {
    let any = |name: &str| list(name).join("|");
    let tag = any("tag");
    let label = any("label");
    let front = any("front");
    Marks {
        // Quotation marks belong to a call only if they touch it. Others end a quotation.
        front: pattern(&format!(r#"(?i)(?:(?:(?P<tag>{tag})|(?P<label>{label})|{front})\s*)*["']*$"#)),
        back: pattern(&format!("(?i)^(?:{})*", any("back"))),
        line: pattern(&format!("(?i)(?:{})$", any("line"))),
        between: pattern(&format!("^(?i:{})*", any("between"))),
        argument: pattern(&format!("^{}(?:{})", any("tag_end"), any("argument"))),
        call_end: pattern(&format!("(?i)^{}(?:{})", any("tag_end"), any("call_end"))),
        lines_front: pattern(&format!("(?:{})$", any("lines_front"))),
        lines_between: pattern(&format!("^(?:{})", any("lines_between"))),
        broken: pattern(&format!(r"(?s)^\s*(?:{})\s*$", any("broken"))),
        answer: pattern(&format!("(?i)^{}", any("answer"))),
        result: pattern(&format!(r"(?im){}|\{{", any("result"))),
        result_front: pattern(&format!(r"(?:^|\n)[ \t]*(?:{})\s*$", any("result_front"))),
        result_end: pattern(&format!("(?i){}", any("result_end"))),
    }
});

/// Returns the end of the text before this place, as far as marks are searched.
pub(super) fn before(text: &str, place: usize) -> &str {
    last_bytes(text.get(..place).unwrap_or_default(), LOOK)
}

/// Returns the beginning of the text behind this place, as far as marks are searched.
pub(super) fn behind(text: &str, place: usize) -> &str {
    first_bytes(text.get(place..).unwrap_or_default(), LOOK)
}

/// Returns the span including everything that wraps it.
pub(super) fn grown(text: &str, span: &Range<usize>) -> Range<usize> {
    // Line breaks in front of the marks belong to the text before.
    let front = MARKS.front.find(before(text, span.start)).map_or(0, |mark| mark.as_str().trim_start().len());
    let back = MARKS.back.find(behind(text, span.end)).map_or(0, |mark| mark.len());
    span.start - front..span.end + back
}

/// Returns the length of a made-up answer behind a call, or 0.
pub(super) fn answer(text: &str, end: usize) -> usize {
    let behind = first_bytes(text.get(end..).unwrap_or_default(), ANSWER_MAX);
    MARKS.answer.find(behind).map_or(0, |answer| answer.as_str().trim_end().len())
}

/// Returns whether a text between two calls belongs to them.
pub(super) fn is_between(text: &str) -> bool {
    text.chars().all(|sign| sign.is_whitespace() || ",;[]'\"".contains(sign))
}

/// Returns whether a span fills this code, except for its marks and their info string.
pub(super) fn fills(text: &str, span: &Range<usize>, code: &Range<usize>) -> bool {
    let front = text.get(code.start..span.start).unwrap_or_default().trim_start_matches('`').trim();
    let back = text.get(span.end..code.end).unwrap_or_default().trim_end_matches('`').trim();
    front.chars().all(|sign| sign.is_alphanumeric() || sign == '_') && back.is_empty()
}

/// Returns whether only marks of lists and quotes share the lines of a span.
pub(super) fn is_alone(text: &str, span: &Range<usize>) -> bool {
    let sides = [before(text, span.start).rsplit('\n').next(), behind(text, span.end).split('\n').next()];
    sides.into_iter().flatten().all(|side| side.trim_matches(['>', '-', '*', ' ', '\t', '\r']).is_empty())
}
