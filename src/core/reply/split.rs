//! Splits long text into pieces that fit into Discord messages.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::text::{CodeRules, SegmentKind, fences, first_utf16, segments, utf16_length};

/// The longest content of a message, in UTF-16 units, which is never more lenient than Discord's own count. See
/// Discord's documentation, "Create Message".
pub const CONTENT_LENGTH_MAX: usize = 2_000;

const FENCE: &str = "```";

/// Closes a code block at the end of a piece.
const CLOSING: &str = "\n```";

/// The longest language name that is repeated, in characters, all of them ASCII.
const INFO_LENGTH_MAX: usize = 20;

/// The marks of spoilers, and of bold, underlined and struck out text.
const MARKS: [&str; 4] = ["||", "**", "__", "~~"];

/// The marks of italic text. White space before the closing one makes it plain text.
const ITALIC: [&str; 2] = ["*", "_"];

/// The most units that a piece needs to continue a code block: a fence, a language, a line end and the closing fence.
const BLOCK_COST: usize = 3 + INFO_LENGTH_MAX + 1 + 4;

/// Splits text into pieces of at most `limit` UTF-16 units: at line ends if possible, else after a word if possible. A
/// piece that continues a line begins with `…`, so that it does not look like a new line.
///
/// A split code block is closed in each piece and reopened in the next. So are inline code, spoilers, and bold, italic,
/// underlined and struck out text. Only blank lines at a split are lost. Blank text gives no piece. Text with code
/// blocks and marks needs a limit of 60 or more.
pub fn split_content(text: &str, limit: usize) -> Vec<String> {
    let mut spans = Spans::of(text);
    let room = if text.contains(FENCE) { limit.saturating_sub(BLOCK_COST).max(2) } else { limit };
    let room = if spans.cost == 0 { room } else { room.saturating_sub(spans.cost).max(2) };
    let done = Vec::new();
    let piece = String::new();
    let open = Vec::new();
    let mut pieces = Pieces { limit, done, piece, used: 0, block: None, open };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let parts = parts(line.lines().next().unwrap_or_default(), room);
        let mut behind = at;
        for (index, part) in parts.iter().enumerate() {
            behind += part.len();
            let mark = if index == 0 { "" } else { "…" };
            let (ends, end) = match index + 1 == parts.len() {
                true => (Ends::Line, at + line.len()),
                false => (Ends::Inside, behind),
            };
            pieces.add(mark, part, ends, spans.open_at(text, end));
        }
        at += line.len();
    }
    pieces.finish()
}

/// The spans that may be open at a cut, ordered by their start: inline code, and text between marks.
struct Spans {
    spans: std::iter::Peekable<std::vec::IntoIter<MarkedSpan>>,
    /// The spans that are open at the position of the last `open_at` call.
    open: Vec<MarkedSpan>,
    /// The most units that a piece needs to reopen and close them, with a line end.
    cost: usize,
}

/// A range of text with these marks around it, in bytes.
struct MarkedSpan {
    at: Range<usize>,
    marks: &'static str,
}

impl Spans {
    fn of(text: &str) -> Self {
        let mut spans: Vec<_> = inline_code(text).chain(marked(text)).collect();
        spans.sort_by_key(|span| span.at.start);
        let kinds: BTreeSet<_> = spans.iter().map(|span| span.marks).collect();
        let cost = if kinds.is_empty() { 0 } else { 2 * kinds.iter().map(|marks| marks.len()).sum::<usize>() + 1 };
        Self { spans: spans.into_iter().peekable(), open: Vec::new(), cost }
    }

    /// Returns the marks that a cut at `at` would split, outermost first. `at` must not decrease between calls.
    fn open_at(&mut self, text: &str, at: usize) -> Vec<&'static str> {
        while let Some(span) = self.spans.next_if(|span| span.at.start < at) {
            self.open.push(span);
        }
        self.open.retain(|span| at < span.at.end);
        self.open.iter().filter(|span| span.is_open_at(text, at)).map(|span| span.marks).collect()
    }
}

impl MarkedSpan {
    /// Excludes backticks next to other backticks, with which they would merge.
    fn is_open_at(&self, text: &str, at: usize) -> bool {
        let is_within = self.at.start + self.marks.len() <= at && at + self.marks.len() <= self.at.end;
        let (before, behind) = text.split_at_checked(at).unwrap_or_default();
        is_within && !(self.marks.starts_with('`') && (before.ends_with('`') || behind.starts_with('`')))
    }
}

/// Returns the inline code that can be split. Code that contains a fence would turn into a block.
fn inline_code(text: &str) -> impl Iterator<Item = MarkedSpan> {
    let inline = segments(text, CodeRules::Discord).filter(|segment| segment.kind == SegmentKind::Inline);
    inline.filter_map(|segment| {
        let code = text.get(segment.range.clone()).filter(|code| !code.contains(FENCE))?;
        Some(MarkedSpan { at: segment.range, marks: if code.starts_with("``") { "``" } else { "`" } })
    })
}

/// Returns the text between two marks outside of code. Empty pairs, and marks that are not closed before the enclosing
/// pair, are plain text.
fn marked(text: &str) -> Vec<MarkedSpan> {
    let mut spans = Vec::new();
    let mut open = Vec::<(usize, &'static str)>::new();
    for segment in segments(text, CodeRules::Discord).filter(|segment| segment.kind == SegmentKind::Text) {
        let mut at = segment.range.start;
        while let Some(rest) = text.get(at..segment.range.end).filter(|rest| !rest.is_empty()) {
            let first = rest.chars().next().map_or(1, char::len_utf8);
            if rest.starts_with('\n') {
                open.retain(|(_, marks)| !ITALIC.contains(marks));
            }
            let Some(marks) = mark_at(text, at, open.last().map(|(_, marks)| *marks)) else {
                let escaped = if first == 1 && rest.starts_with('\\') { rest.chars().nth(1) } else { None };
                at += first + escaped.map_or(0, char::len_utf8);
                continue;
            };
            match open.iter().rposition(|(_, known)| *known == marks) {
                Some(index) => {
                    let start = open.get(index).map_or(at, |(start, _)| *start);
                    open.truncate(index);
                    if start + marks.len() < at {
                        spans.push(MarkedSpan { at: start..at + marks.len(), marks });
                    }
                }
                None => open.push((at, marks)),
            }
            at += marks.len();
        }
    }
    spans
}

/// Returns the mark at this place. `inner` is the mark that was opened last.
fn mark_at(text: &str, at: usize, inner: Option<&str>) -> Option<&'static str> {
    let (before, rest) = text.split_at_checked(at)?;
    let is_open = |italic: &str| inner == Some(italic);
    // In `**a *b***`, the inner mark is closed first.
    let closes_three = |italic: &str| is_open(italic) && rest.starts_with(&italic.repeat(3));
    let double = MARKS.into_iter().find(|marks| rest.starts_with(marks));
    if let Some(marks) = double.filter(|_| !ITALIC.into_iter().any(closes_three)) {
        return Some(marks);
    }
    let italic = ITALIC.into_iter().find(|italic| rest.starts_with(italic))?;
    let before = before.chars().next_back();
    let behind = rest.chars().nth(1);
    let is_word = |sign: Option<char>| italic == "_" && sign.is_some_and(char::is_alphanumeric);
    let is_blank = |sign: Option<char>| sign.is_none_or(char::is_whitespace);
    let is_mark = match is_open(italic) {
        true => !is_blank(before) && !is_word(behind),
        false => !is_blank(behind) && !is_word(before),
    };
    is_mark.then_some(italic)
}

/// Where a part ends.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Line,
    /// Inside its line.
    Inside,
}

/// The pieces under construction.
struct Pieces {
    limit: usize,
    done: Vec<String>,
    piece: String,
    /// The units used in the current piece.
    used: usize,
    /// The code block open at the end of the current piece.
    block: Option<Block>,
    /// The marks open at the end of the current piece, the outermost first.
    open: Vec<&'static str>,
}

#[derive(Clone)]
struct Block {
    /// The line that reopens it.
    opening: String,
    /// The start of its opening line, in bytes of the piece, while no text follows that line.
    bare_since: Option<usize>,
}

impl Pieces {
    /// Adds a part of a line that fits into one piece. `open` holds the marks that are open after it.
    fn add(&mut self, mark: &str, part: &str, ends: Ends, open: Vec<&'static str>) {
        let mut after = behind(self.block.as_ref(), part, ends, self.piece.len());
        let closing = |block: &Option<Block>| if block.is_some() { utf16_length(CLOSING) } else { 0 };
        let added = utf16_length(mark) + utf16_length(part);
        if !self.piece.is_empty() && self.limit < self.used + 1 + added + closing(&after) + length(&open) {
            self.cut();
            after = behind(self.block.as_ref(), part, ends, self.piece.len());
        }
        // Reopened marks are followed by their text without a line end.
        if !self.piece.is_empty() && self.used != length(&self.open) {
            self.piece.push('\n');
            self.used += 1;
        }
        self.piece.push_str(mark);
        self.piece.push_str(part);
        self.used += added;
        self.block = after;
        self.open = open;
    }

    /// Ends the piece and begins the next in the same code block.
    fn cut(&mut self) {
        let mut piece = std::mem::take(&mut self.piece);
        self.piece = self.open.concat();
        if let Some(block) = &mut self.block {
            match block.bare_since.take() {
                // Drop an empty block instead of showing it.
                Some(at) => piece.truncate(at),
                None => piece.push_str(CLOSING),
            }
            self.piece.push_str(&block.opening);
        }
        if !self.open.is_empty() {
            let is_italic = self.open.iter().any(|marks| ITALIC.contains(marks));
            let text = if is_italic { piece.trim_end() } else { piece.trim_end_matches('\n') };
            piece.truncate(text.len());
            piece.extend(self.open.iter().rev().copied());
        }
        self.used = utf16_length(&self.piece);
        self.done.push(piece);
    }

    fn finish(mut self) -> Vec<String> {
        if let Some(block) = &mut self.block
            && block.opening != FENCE
        {
            // No later piece repeats the language.
            block.bare_since = None;
        }
        self.cut();
        let trimmed = self.done.iter().map(|piece| piece.trim_matches('\n').to_owned());
        trimmed.filter(|piece| !piece.trim().is_empty()).collect()
    }
}

fn length(marks: &[&str]) -> usize {
    marks.iter().map(|marks| marks.len()).sum()
}

/// Returns the block that is open after a part that will be at `at`.
fn behind(block: Option<&Block>, part: &str, ends: Ends, at: usize) -> Option<Block> {
    let info = |behind| if ends == Ends::Line { info(behind) } else { "" };
    let mut block = block.map(|block| Block { opening: block.opening.clone(), bare_since: None });
    let mut rest = part;
    let mut n_fences = 0;
    for marks in fences(part) {
        rest = part.get(marks.end..).unwrap_or_default();
        n_fences += 1;
        block = match block {
            Some(_) => None,
            None => Some(Block { opening: format!("{FENCE}{}", info(rest)), bare_since: Some(at) }),
        };
    }
    // Text before the fence must not be lost with it.
    let is_alone = n_fences == 1 && part.trim_start().starts_with(FENCE) && info(rest) == rest.trim_end();
    block.map(|block| if is_alone { block } else { Block { bare_since: None, ..block } })
}

/// Returns the language after an opening fence, if the line holds nothing else.
fn info(behind: &str) -> &str {
    let name = behind.trim_end();
    let is_name =
        name.len() <= INFO_LENGTH_MAX && name.chars().all(|c| c.is_ascii_alphanumeric() || "_+-.#".contains(c));
    if is_name { name } else { "" }
}

/// Splits a line into parts of at most `limit` units, including the mark before all but the first. An empty line is one
/// empty part.
fn parts(line: &str, limit: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = line;
    loop {
        let room = if parts.is_empty() { limit } else { limit.saturating_sub(1) };
        // The cut is empty only if the limit holds no character: then the rest is one part.
        let cut = rest.split_at_checked(first_utf16(rest, room).len());
        let cut = cut.filter(|(part, more)| !part.is_empty() && !more.is_empty());
        match cut.map(|(part, more)| at_a_word(rest, part).unwrap_or((part, more))) {
            Some((part, more)) => {
                parts.push(part);
                rest = more;
            }
            None => {
                parts.push(rest);
                return parts;
            }
        }
    }
}

/// Splits after the last space of a part, if that is in its second half; else before marks that the split would
/// separate.
fn at_a_word<'a>(rest: &'a str, part: &str) -> Option<(&'a str, &'a str)> {
    let half = part.len() / 2;
    let space = part.rfind(' ').map(|at| at + 1).filter(|&at| half < at);
    let marks = Some(part.trim_end_matches(['`', '|', '*', '_', '~']).len()).filter(|&at| half < at);
    rest.split_at_checked(space.or(marks)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FENCE, MARKS, split_content};
    use crate::text::{CodeRules, SegmentKind, segments, utf16_length};

    #[test]
    fn text_is_cut_at_line_ends_and_inside_lines_only_when_it_must_be() {
        let cases: [(&str, &[&str]); 8] = [
            ("", &[]),
            ("short", &["short"]),
            ("12345\n67890\nabc", &["12345", "67890\nabc"]),
            ("0123456789ABCDE", &["0123456789", "…ABCDE"]),
            ("0123456-# generated", &["0123456-# ", "…generated"]),
            ("one two three", &["one two ", "…three"]),
            ("😀😀😀😀😀😀", &["😀😀😀😀😀", "…😀"]),
            ("one\n\n\n\n\n\n\n\n\n\ntwo", &["one", "two"]),
        ];
        for (text, expected) in cases {
            assert_eq!(split_content(text, 10), expected, "{text:?}");
        }
    }

    #[test]
    fn a_code_block_ends_in_each_piece_and_begins_again_in_the_next() {
        let a = "a".repeat(12);
        let b = "b b".repeat(7);
        let cases = [
            (
                40,
                format!("```rs\n{a}\n{a}\n{a}\n```\nend"),
                vec![format!("```rs\n{a}\n{a}\n```"), format!("```rs\n{a}\n```\nend")],
            ),
            // The opening line stays with the text after it.
            (40, format!("{a}\n{a}\n```rs\n{a}\n```"), vec![format!("{a}\n{a}"), format!("```rs\n{a}\n```")]),
            // Left open.
            (40, "x\n```py\ny".to_owned(), vec!["x\n```py\ny\n```".to_owned()]),
            (40, "x\n```".to_owned(), vec!["x".to_owned()]),
            // In the middle of a line.
            (
                60,
                format!("see ```{b}\n{b}\n{b}``` so"),
                vec![format!("see ```{b}\n{b}\n```"), format!("```\n{b}``` so")],
            ),
            (60, "```a``` and ```b```".to_owned(), vec!["```a``` and ```b```".to_owned()]),
        ];
        for (limit, text, expected) in cases {
            assert_eq!(split_content(&text, limit), expected, "{text:?}");
        }
    }

    #[test]
    fn inline_code_ends_in_each_piece_and_begins_again_in_the_next() {
        let cases = [
            (20, "see `one two three four five` so", vec!["see `one two `", "`…three four `", "`…five` so"]),
            (12, "`ab\ncd ef\ngh` so", vec!["`ab\ncd ef`", "`gh` so"]),
            (14, "``ab ` cd ef gh`` x", vec!["``ab ` ``", "``…cd ef ``", "``…gh`` x"]),
            // One that is none.
            (10, "`ab cd ef gh", vec!["`ab cd ef ", "…gh"]),
        ];
        for (limit, text, expected) in cases {
            assert_eq!(split_content(text, limit), expected, "{text:?}");
        }
    }

    #[test]
    fn marks_end_in_each_piece_and_begin_again_in_the_next() {
        let cases = [
            (21, "||one two three four five|| so", vec!["||one two three ||", "||…four five|| so"]),
            (24, "**one two\nthree four** five", vec!["**one two**", "**three four** five"]),
            (27, "__a ~~one two three four~~ b__", vec!["__a ~~one two ~~__", "__~~…three four~~ b__"]),
            (
                50,
                "||```rs\none two three\none two three\none two\nthree\n```||",
                vec!["||```rs\none two three\none two three\none two\n```||", "||```rs\nthree\n```||"],
            ),
            (20, "*one two three four five* so", vec!["*one two three*", "*…four five* so"]),
            (20, "_one two three four five_ so", vec!["_one two three_", "_…four five_ so"]),
            (24, "***one two three four*** so", vec!["***one two three***", "***…four*** so"]),
            (22, "**a *one two three* b** so", vec!["**a *one two***", "***…three* b** so"]),
            // Marks that are none.
            (12, "2 * one two * 3", vec!["2 * one two ", "…* 3"]),
            (12, "a_one_two three", vec!["a_one_two ", "…three"]),
            (12, "*one\ntwo three four*", vec!["*one", "two three ", "…four*"]),
            (12, "||one two three", vec!["||one two ", "…three"]),
            (14, "\\||one two three||", vec!["\\||one two ", "…three||"]),
            (19, "`||` one two three||", vec!["`||` one two ", "…three||"]),
        ];
        for (limit, text, expected) in cases {
            assert_eq!(split_content(text, limit), expected, "{text:?}");
        }
    }

    /// How often each mark stands in a text outside of code.
    fn n_marks(text: &str) -> Vec<usize> {
        let plain: String = segments(text, CodeRules::Discord)
            .filter(|segment| segment.kind == SegmentKind::Text)
            .filter_map(|segment| text.get(segment.range))
            .collect();
        MARKS.iter().map(|marks| plain.matches(marks).count()).collect()
    }

    /// The number of fences in a text: runs of three or more backticks.
    fn n_fences(text: &str) -> usize {
        text.split(|c| c != '`').filter(|run| FENCE.len() <= run.len()).count()
    }

    proptest! {
        #[test]
        fn every_piece_has_balanced_marks(
            parts in prop::collection::vec((prop::sample::subsequence(MARKS.to_vec(), 0..4), "[ab]{1,9}( [ab]{1,9}){0,9}\n?"), 0..40),
            limit in 60_usize..120,
        ) {
            let around = |(marks, words): &(Vec<&str>, String)| {
                format!("{}{words}{} ", marks.concat(), marks.iter().rev().copied().collect::<String>())
            };
            let text: String = parts.iter().map(around).collect();
            for piece in split_content(&text, limit) {
                prop_assert!(utf16_length(&piece) <= limit, "{piece:?}");
                prop_assert!(n_marks(&piece).iter().all(|n| n % 2 == 0), "{piece:?}");
            }
        }

        #[test]
        fn every_piece_fits_and_closes_what_it_opens_and_nothing_is_lost(
            parts in prop::collection::vec(
                prop::sample::select(vec!["a", "b", "ab ab", "😀", " ", "\n", "\n\n", "``` ", "```rs\n", "\n```\n", "` "]),
                0..200,
            ),
            limit in 40_usize..90,
        ) {
            let text = parts.concat();
            let pieces = split_content(&text, limit);
            let words = |text: &str| text.chars().filter(|c| "ab😀".contains(*c)).collect::<String>();
            prop_assert_eq!(words(&pieces.concat()), words(&text));
            for piece in &pieces {
                prop_assert!(utf16_length(piece) <= limit, "{} in {:?}", utf16_length(piece), piece);
                prop_assert_eq!(n_fences(piece) % 2, 0, "{:?}", piece);
            }
        }
    }
}
