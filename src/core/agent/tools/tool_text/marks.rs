//! The marks around a call: tags, brackets, labels, and a made-up answer right behind it. Those of a result alone.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::agent::pattern::{Lists, pattern};
use crate::text::{first_bytes, last_bytes};

/// How much of the text on either side of a call is looked at, in bytes.
const LOOK: usize = 320;

/// The longest made-up answer that goes with a call, in bytes.
const ANSWER_MAX: usize = 4_096;

static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::read(include_str!("marks.toml")));

/// The list of this name.
pub(super) fn list(name: &str) -> &'static [String] {
    LISTS.get(name)
}

/// The marks.
pub(crate) struct Marks {
    /// In its groups `tag` and `label` stands what makes a name a call.
    pub(super) front: Regex,
    back: Regex,
    pub(super) line: Regex,
    pub(super) between: Regex,
    /// What opens an argument in a tag, each kind with three groups: the tag, the key and what else stands in it.
    pub(super) argument: Regex,
    /// What ends a call with arguments in tags, or without any.
    pub(super) call_end: Regex,
    /// The lines of a call in YAML: in front of the name, and between it and the arguments.
    pub(super) lines_front: Regex,
    pub(super) lines_between: Regex,
    answer: Regex,
    /// A whole message in the marks of a call that cannot be read.
    pub(crate) broken: Regex,
    /// What a result begins with: a `tag`, a label with the tool that it has `named` or `called`, or a brace.
    pub(crate) result: Regex,
    pub(crate) result_front: Regex,
    pub(crate) result_end: Regex,
}

/// The one set of marks.
pub(crate) static MARKS: LazyLock<Marks> = LazyLock::new(|| {
    let any = |name: &str| list(name).join("|");
    let (tag, label, front) = (any("tag"), any("label"), any("front"));
    Marks {
        // Quotation marks belong to a call that they touch: others end what somebody said.
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

/// The end of the text before this place, as far as marks are looked for.
pub(super) fn before(text: &str, place: usize) -> &str {
    last_bytes(text.get(..place).unwrap_or_default(), LOOK)
}

/// The beginning of the text behind this place, as far as marks are looked for.
pub(super) fn behind(text: &str, place: usize) -> &str {
    first_bytes(text.get(place..).unwrap_or_default(), LOOK)
}

/// The span with everything that wraps it.
pub(super) fn grown(text: &str, span: &Range<usize>) -> Range<usize> {
    // What begins on a later line is not part of the line before.
    let front = MARKS.front.find(before(text, span.start)).map_or(0, |mark| mark.as_str().trim_start().len());
    let back = MARKS.back.find(behind(text, span.end)).map_or(0, |mark| mark.len());
    span.start - front..span.end + back
}

/// The length of a made-up answer behind a call, if there is one.
pub(super) fn answer(text: &str, end: usize) -> usize {
    let behind = first_bytes(text.get(end..).unwrap_or_default(), ANSWER_MAX);
    MARKS.answer.find(behind).map_or(0, |answer| answer.as_str().trim_end().len())
}

/// Whether a text between two calls belongs to them.
pub(super) fn is_between(text: &str) -> bool {
    text.chars().all(|sign| sign.is_whitespace() || ",;[]'\"".contains(sign))
}

/// Whether a span is all that is in this code, but for its marks and their info string.
pub(super) fn fills(text: &str, span: &Range<usize>, code: &Range<usize>) -> bool {
    let front = text.get(code.start..span.start).unwrap_or_default().trim_start_matches('`').trim();
    let back = text.get(span.end..code.end).unwrap_or_default().trim_end_matches('`').trim();
    front.chars().all(|sign| sign.is_alphanumeric() || sign == '_') && back.is_empty()
}

/// Whether nothing but marks of lists and quotes stands beside a span on its lines.
pub(super) fn is_alone(text: &str, span: &Range<usize>) -> bool {
    let sides = [before(text, span.start).rsplit('\n').next(), behind(text, span.end).split('\n').next()];
    sides.into_iter().flatten().all(|side| side.trim_matches(['>', '-', '*', ' ', '\t', '\r']).is_empty())
}
