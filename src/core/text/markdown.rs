//! Splits a reply's markdown into prose and code, as far as the checks need it.

use std::collections::BTreeMap;

/// A line of a reply, without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Prose, perhaps with inline code.
    Prose(&'a str),
    /// A line of a fenced block.
    Code(&'a str),
}

/// Every line except those that open or close a fenced block.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    placed_lines(text).map(|(_, line)| line)
}

/// Like [`lines`], each with its byte offset.
pub(crate) fn placed_lines(text: &str) -> impl Iterator<Item = (usize, Line<'_>)> {
    let mut open: Option<&str> = None;
    let mut behind = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let at = behind;
        behind += line.len();
        let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        let marks = fence_marks(line);
        match (open, marks) {
            (None, Some(_)) => {
                open = marks;
                None
            }
            // A longer run also closes a shorter one, as in Markdown.
            (Some(opened), Some(marks)) if marks.starts_with(opened) => {
                open = None;
                None
            }
            (Some(_), Some(_) | None) => Some((at, Line::Code(line))),
            (None, None) => Some((at, Line::Prose(line))),
        }
    })
}

/// The backticks with which a line opens or closes a fenced block. Only backticks: Discord shows text between tildes as
/// plain text.
fn fence_marks(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let info = line.trim_start_matches('`');
    let marks = line.strip_suffix(info).filter(|marks| 3 <= marks.len())?;
    (!info.contains('`')).then_some(marks)
}

/// A part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Span<'a> {
    /// Text.
    Words(&'a str),
    /// Inline code.
    Code {
        /// With its backticks.
        whole: &'a str,
        /// Without.
        inside: &'a str,
    },
}

/// The parts of a line of prose, in order: together they are the line.
pub(crate) fn spans(line: &str) -> Vec<Span<'_>> {
    let runs = backticks(line);
    let closings = closings(&runs);
    let mut spans = Vec::new();
    let mut behind = 0;
    for (run, closing) in runs.iter().zip(closings) {
        let Some(closing) = closing.filter(|_| behind <= run.at) else { continue };
        let words = line.get(behind..run.at).filter(|words| !words.is_empty());
        let whole = line.get(run.at..closing.at + closing.length);
        let inside = line.get(run.at + run.length..closing.at);
        spans.extend(words.map(Span::Words));
        spans.extend(whole.zip(inside).map(|(whole, inside)| Span::Code { whole, inside }));
        behind = closing.at + closing.length;
    }
    spans.extend(line.get(behind..).filter(|words| !words.is_empty()).map(Span::Words));
    spans
}

/// Backticks in a row.
#[derive(Clone, Copy)]
struct Run {
    at: usize,
    length: usize,
}

fn backticks(line: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.at + run.length == at => run.length += 1,
            Some(_) | None => runs.push(Run { at, length: 1 }),
        }
    }
    runs
}

/// The next run of the same length for each run. Searched back to front, so that each run is visited once.
fn closings(runs: &[Run]) -> Vec<Option<Run>> {
    let mut next = BTreeMap::new();
    let mut closings: Vec<_> = runs.iter().rev().map(|run| next.insert(run.length, *run)).collect();
    closings.reverse();
    closings
}

#[cfg(test)]
mod tests {
    use super::{Line, Span, lines, placed_lines, spans};

    #[test]
    fn lines_of_fenced_blocks_are_code() {
        let text = "a\n```json\nb\n~~~\n```\nc\n````\n```\nd\r\n````\n```inline``` e\n~~~\nf\n~~~\n```\ng";
        let expected = [
            Line::Prose("a"),
            Line::Code("b"),
            Line::Code("~~~"),
            Line::Prose("c"),
            Line::Code("```"),
            Line::Code("d"),
            Line::Prose("```inline``` e"),
            Line::Prose("~~~"),
            Line::Prose("f"),
            Line::Prose("~~~"),
            Line::Code("g"),
        ];
        assert_eq!(lines(text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_line_stands_where_it_begins() {
        let found: Vec<_> = placed_lines("ä\r\n\n```\nb\n```\nc").collect();
        assert_eq!(found, [(0, Line::Prose("ä")), (4, Line::Prose("")), (9, Line::Code("b")), (15, Line::Prose("c"))]);
    }

    #[test]
    fn code_stands_between_runs_of_the_same_length() {
        let code = |whole, inside| Span::Code { whole, inside };
        let cases = [
            ("", vec![]),
            ("a", vec![Span::Words("a")]),
            ("a `b` c", vec![Span::Words("a "), code("`b`", "b"), Span::Words(" c")]),
            ("``a ` b``", vec![code("``a ` b``", "a ` b")]),
            ("`a``b`", vec![code("`a``b`", "a``b")]),
            ("a ` b", vec![Span::Words("a ` b")]),
            ("`a` ` `` b", vec![code("`a`", "a"), Span::Words(" ` `` b")]),
        ];
        for (line, expected) in cases {
            assert_eq!(spans(line), expected, "{line}");
        }
    }
}
