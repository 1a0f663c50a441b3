//! Discord's markdown: finds code in a text, and makes untrusted text harmless.

use std::collections::HashMap;
use std::fmt::Display;
use std::ops::Range;

/// The rules for code marks. Both know only backticks: Discord shows text between tildes as plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeRules {
    /// Text that Discord shows as code. Three or more backticks open a block anywhere, and the next three or more close
    /// it. One or two open inline code, which the next run of the same length closes, also on a later line.
    Discord,
    /// Text that a model writes as code. The backticks of a block stand first on their line, without other backticks on
    /// it. A run of the same length or longer ends the block. Inline code ends on its line, with a run of the same
    /// length.
    Model,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    pub kind: SegmentKind<'a>,
    /// Its range in bytes, with its marks. Never empty, and always at character boundaries.
    pub range: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind<'a> {
    /// Text outside of code, including marks that open nothing.
    Text,
    Inline,
    /// A block. An unclosed block extends to the end of the text.
    Fence {
        /// The text after the opening marks on their line, trimmed: a language, or already code.
        info: &'a str,
    },
}

/// Returns the parts of a text in order. Together they are the whole text, and two text parts are never adjacent. Takes
/// linear time.
///
/// ```
/// use candor_core::text::{CodeRules, SegmentKind, segments};
///
/// let text = "Type `/help`, or ```/status```";
/// let outside = segments(text, CodeRules::Discord).filter(|segment| segment.kind == SegmentKind::Text);
/// assert_eq!(outside.map(|segment| &text[segment.range]).collect::<Vec<_>>(), ["Type ", ", or "]);
/// ```
pub fn segments(text: &str, rules: CodeRules) -> impl Iterator<Item = Segment<'_>> {
    let runs = runs(text);
    let closings = closings(&runs);
    let fences = |at: usize| match (rules, runs.get(at)) {
        (_, Some(run)) if run.range.len() < FENCE_MIN => false,
        (CodeRules::Discord, run) => run.is_some(),
        (CodeRules::Model, run) => run.is_some_and(|run| is_first(text, run) && is_only(&runs, at)),
    };
    let mut segments = Vec::new();
    let mut behind = 0;
    for (index, (run, closing)) in runs.iter().zip(closings).enumerate() {
        // Marks after a backslash are shown as they are.
        let is_escaped = rules == CodeRules::Discord && is_escaped(text, run.range.start);
        if run.range.start < behind || is_escaped {
            continue;
        }
        let start = run.range.start;
        let (kind, end) = if fences(index) {
            let ends = |other: &BacktickRun| rules == CodeRules::Discord || run.range.len() <= other.range.len();
            let closing = (index + 1..runs.len()).find(|&at| fences(at) && runs.get(at).is_some_and(ends));
            let end = closing.and_then(|at| runs.get(at)).map_or(text.len(), |run| run.range.end);
            let info = text.get(run.range.end..end).and_then(|body| body.split(['\n', '`']).next());
            (SegmentKind::Fence { info: info.unwrap_or_default().trim() }, end)
        } else {
            let may_close = |closing: &&BacktickRun| rules == CodeRules::Discord || closing.line == run.line;
            let Some(closing) = closing.filter(may_close) else { continue };
            (SegmentKind::Inline, closing.range.end)
        };
        segments.extend((behind < start).then_some(Segment { kind: SegmentKind::Text, range: behind..start }));
        segments.push(Segment { kind, range: start..end });
        behind = end;
    }
    segments.extend((behind < text.len()).then_some(Segment { kind: SegmentKind::Text, range: behind..text.len() }));
    segments.into_iter()
}

/// Returns the runs of three or more backticks. In a text that is cut anywhere, also within inline code, each of them
/// opens or closes a block on Discord.
pub(crate) fn fences(text: &str) -> impl Iterator<Item = Range<usize>> {
    runs(text).into_iter().map(|run| run.range).filter(|range| FENCE_MIN <= range.len())
}

/// The fewest backticks that open or close a block.
const FENCE_MIN: usize = 3;

struct BacktickRun {
    range: Range<usize>,
    /// The number of its line, from 0.
    line: usize,
}

fn runs(text: &str) -> Vec<BacktickRun> {
    let mut runs: Vec<BacktickRun> = Vec::new();
    let mut line = 0;
    for (at, mark) in text.match_indices(['`', '\n']) {
        match runs.last_mut() {
            _ if mark == "\n" => line += 1,
            Some(run) if run.range.end == at => run.range.end += 1,
            Some(_) | None => runs.push(BacktickRun { range: at..at + 1, line }),
        }
    }
    runs
}

/// Returns whether an odd number of backslashes precedes a position.
fn is_escaped(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
}

/// Returns whether only white space precedes a run on its line.
fn is_first(text: &str, run: &BacktickRun) -> bool {
    let before = text.get(..run.range.start).unwrap_or_default();
    let before = before.trim_end_matches(|character: char| character != '\n' && character.is_whitespace());
    before.is_empty() || before.ends_with('\n')
}

/// Returns whether no other run follows on the line of this one.
fn is_only(runs: &[BacktickRun], at: usize) -> bool {
    runs.get(at).map(|run| run.line) != runs.get(at + 1).map(|run| run.line)
}

/// Returns the next run of the same length for each run. Searched back to front, so that each run is visited once.
fn closings(runs: &[BacktickRun]) -> Vec<Option<&BacktickRun>> {
    let mut next = HashMap::new();
    let mut closings: Vec<_> = runs.iter().rev().map(|run| next.insert(run.range.len(), run)).collect();
    closings.reverse();
    closings
}

/// Formats the text as inline code.
pub fn in_code_span(text: &str) -> String {
    format!("`{}`", without_backticks(text))
}

/// Formats each text as inline code, separated by commas.
pub fn in_code_spans(texts: impl IntoIterator<Item: Display>) -> String {
    texts.into_iter().map(|text| in_code_span(&text.to_string())).collect::<Vec<_>>().join(", ")
}

/// Formats the text as a code block. Its backticks are replaced only if they could end the block: see
/// [`ends_code_block`].
pub fn in_code_block(text: &str) -> String {
    match ends_code_block(text) {
        true => format!("```\n{}\n```", without_backticks(text)),
        false => format!("```\n{text}\n```"),
    }
}

/// Returns whether a text would end its enclosing code block. Discord ends a block at any three backticks, and has no
/// longer fences.
pub fn ends_code_block(text: &str) -> bool {
    text.contains("```")
}

/// Returns whether a text ends inside an unclosed code block: on Discord, a line below it would be code.
pub fn ends_in_code_block(text: &str) -> bool {
    let is_block = |kind| matches!(kind, SegmentKind::Fence { .. });
    let last = segments(text, CodeRules::Discord).last().filter(|segment| is_block(segment.kind));
    // A closed block ends with its marks, and has room for the opening ones before them.
    last.and_then(|block| text.get(block.range)).is_some_and(|block| !(5 < block.len() && block.ends_with("```")))
}

/// Replaces each backtick by a look-alike.
fn without_backticks(text: &str) -> String {
    text.replace('`', "ˋ")
}

/// Puts a backslash before every character that could close surrounding markdown, hide text or disguise a link on
/// Discord.
pub fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|character| "\\`*~|[".contains(character).then_some('\\').into_iter().chain([character]))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        CodeRules, SegmentKind, ends_in_code_block, escaped, in_code_block, in_code_span, in_code_spans, segments,
    };

    type Code<'a> = &'a [(&'a str, &'a str)];

    /// The code of a text, each piece with the language of a block, or `-` for inline code.
    fn code(text: &str, rules: CodeRules) -> Vec<(&str, &str)> {
        let code = segments(text, rules).filter_map(|segment| match segment.kind {
            SegmentKind::Text => None,
            SegmentKind::Inline => Some(("-", text.get(segment.range).unwrap())),
            SegmentKind::Fence { info } => Some((info, text.get(segment.range).unwrap())),
        });
        code.collect()
    }

    #[test]
    fn discord_opens_a_block_anywhere_and_a_model_at_the_beginning_of_a_line() {
        let cases: [(&str, Code<'_>, Code<'_>); 9] = [
            ("a `b` ``c ` d``", &[("-", "`b`"), ("-", "``c ` d``")], &[("-", "`b`"), ("-", "``c ` d``")]),
            ("`a\nb` c", &[("-", "`a\nb`")], &[]),
            ("a ` b `` c", &[], &[]),
            ("```rs\na\n``` b", &[("rs", "```rs\na\n```")], &[("rs", "```rs\na\n```")]),
            ("see ```rs\na``` b", &[("rs", "```rs\na```")], &[]),
            ("```a``` b", &[("a", "```a```")], &[("-", "```a```")]),
            ("````\n```\nä\n````", &[("", "````\n```"), ("", "````")], &[("", "````\n```\nä\n````")]),
            (" \t```js \nä", &[("js", "```js \nä")], &[("js", "```js \nä")]),
            ("~~~\na\n~~~", &[], &[]),
        ];
        for (text, discord, model) in cases {
            assert_eq!(code(text, CodeRules::Discord), discord, "{text:?}");
            assert_eq!(code(text, CodeRules::Model), model, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn segments_cover_the_text_in_order(
            parts in prop::collection::vec(
                prop::sample::select(vec!["`", "``", "```", "a", "ä", " ", "\n", "\r\n", "~~~", "rs"]),
                0..60,
            ),
            rules in prop::sample::select(vec![CodeRules::Discord, CodeRules::Model]),
        ) {
            let text = parts.concat();
            let mut behind = 0;
            let mut was_text = false;
            for segment in segments(&text, rules) {
                prop_assert_eq!(segment.range.start, behind);
                prop_assert!(!segment.range.is_empty() && text.get(segment.range.clone()).is_some());
                let is_text = segment.kind == SegmentKind::Text;
                prop_assert!(!(is_text && was_text));
                prop_assert!(is_text || text.as_bytes().get(behind) == Some(&b'`'));
                (behind, was_text) = (segment.range.end, is_text);
            }
            prop_assert_eq!(behind, text.len());
        }
    }

    #[test]
    fn nothing_ends_the_code_that_it_stands_in() {
        let cases = [
            ("plain", "`plain`", "```\nplain\n```"),
            ("`a` and ``b``", "`ˋaˋ and ˋˋbˋˋ`", "```\n`a` and ``b``\n```"),
            ("a\n```\n`b`", "`a\nˋˋˋ\nˋbˋ`", "```\na\nˋˋˋ\nˋbˋ\n```"),
            ("````", "`ˋˋˋˋ`", "```\nˋˋˋˋ\n```"),
        ];
        for (text, span, block) in cases {
            assert_eq!(in_code_span(text), span);
            assert_eq!(in_code_block(text), block);
        }
        assert_eq!(in_code_spans(["a", "b`c"]), "`a`, `bˋc`");
        assert_eq!(in_code_spans([0; 0]), "");
    }

    #[test]
    fn a_block_is_open_until_its_marks_come_again() {
        for text in ["```", "```rs\na", "see ```a", "```\na\n```\n```b"] {
            assert!(ends_in_code_block(text), "{text:?}");
        }
        for text in ["", "`a", "```\na\n```", "see ```a``` b", "\\```a"] {
            assert!(!ends_in_code_block(text), "{text:?}");
        }
    }

    #[test]
    fn no_mark_is_left_that_counts() {
        let cases = [
            ("plain, with 1_000 words", "plain, with 1_000 words"),
            ("`code` **bold** ||hidden||", "\\`code\\` \\*\\*bold\\*\\* \\|\\|hidden\\|\\|"),
            ("[free](https://evil.example/a_b)", "\\[free](https://evil.example/a_b)"),
            ("\\`", "\\\\\\`"),
        ];
        for (text, expected) in cases {
            assert_eq!(escaped(text), expected);
        }
    }
}
