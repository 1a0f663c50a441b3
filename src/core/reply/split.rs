//! Splits long text into pieces that fit into Discord messages.

use std::ops::Range;

use crate::text::{CodeRules, SegmentKind, fences, first_utf16, segments, utf16_length};

/// The longest content of a message, in UTF-16 units, which is never more lenient than Discord's own count. See
/// Discord's documentation, "Create Message".
pub const CONTENT_LENGTH_MAX: usize = 2_000;

/// Opens and closes a code block.
const FENCE: &str = "```";

/// Closes a code block at the end of a piece.
const CLOSING: &str = "\n```";

/// The longest language name that is repeated, in characters, all of them ASCII.
const INFO_LENGTH_MAX: usize = 20;

/// The most units that a piece needs to continue inline code and to close it again, with a line end.
const INLINE_COST: usize = 5;

/// The most units that a piece needs to continue a code block: a fence, a language, a line end and the closing fence.
const BLOCK_COST: usize = 3 + INFO_LENGTH_MAX + 1 + 4;

/// Splits text into pieces of at most `limit` UTF-16 units: at line ends if possible, else after a word if possible. A
/// piece that continues a line begins with `…`, so that it cannot pass for a line of its own. A split code block is
/// closed in each piece and reopened in the next, and so is inline code. Only blank lines at a split are lost. Blank
/// text gives no piece. Text with code blocks needs a limit of 40 or more.
pub fn split_content(text: &str, limit: usize) -> Vec<String> {
    let inline = Inline::of(text);
    let room = if text.contains(FENCE) { limit.saturating_sub(BLOCK_COST).max(2) } else { limit };
    let room = if inline.0.is_empty() { room } else { room.saturating_sub(INLINE_COST).max(2) };
    let mut pieces = Pieces { limit, done: Vec::new(), piece: String::new(), used: 0, block: None, inline: "" };
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
            pieces.add(mark, part, ends, inline.open_at(text, end));
        }
        at += line.len();
    }
    pieces.finish()
}

/// Where inline code stands in a text, in bytes.
struct Inline(Vec<Range<usize>>);

impl Inline {
    /// Only what a cut leaves inline code: with the marks of a block in it, it is none any more.
    fn of(text: &str) -> Self {
        let inline = segments(text, CodeRules::Discord).filter(|segment| segment.kind == SegmentKind::Inline);
        Self(
            inline
                .map(|segment| segment.range)
                .filter(|at| !text.get(at.clone()).unwrap_or(FENCE).contains(FENCE))
                .collect(),
        )
    }

    /// The marks of the inline code that a cut here would be in. Marks that would meet others are left out.
    fn open_at(&self, text: &str, at: usize) -> &'static str {
        let index = self.0.partition_point(|range| range.end <= at);
        let inside = self.0.get(index).filter(|range| range.start < at);
        let halves = inside.and_then(|range| text.get(range.start..at).zip(text.get(at..range.end)));
        match halves {
            Some((before, behind)) if !before.ends_with('`') && !behind.starts_with('`') => {
                if before.starts_with("``") { "``" } else { "`" }
            }
            _ => "",
        }
    }
}

/// How a part ends.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    /// At the end of its line.
    Line,
    /// Inside it.
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
    /// The marks of the inline code open at the end of the current piece.
    inline: &'static str,
}

/// An open code block.
#[derive(Clone)]
struct Block {
    /// The line that reopens it.
    opening: String,
    /// Where its opening line begins, in bytes of the piece, while nothing follows that line.
    bare_since: Option<usize>,
}

impl Pieces {
    /// Adds a part of a line that fits into a piece of its own. Behind it, inline code with these marks is open.
    fn add(&mut self, mark: &str, part: &str, ends: Ends, inline: &'static str) {
        let mut after = behind(self.block.as_ref(), part, ends, self.piece.len());
        let closing = |block: &Option<Block>| if block.is_some() { utf16_length(CLOSING) } else { 0 };
        let added = utf16_length(mark) + utf16_length(part);
        if !self.piece.is_empty() && self.limit < self.used + 1 + added + closing(&after) + inline.len() {
            self.cut();
            after = behind(self.block.as_ref(), part, ends, self.piece.len());
        }
        // What reopens inline code stands in front of the text that it goes on with.
        if !self.piece.is_empty() && self.used != self.inline.len() {
            self.piece.push('\n');
            self.used += 1;
        }
        self.piece.push_str(mark);
        self.piece.push_str(part);
        self.used += added;
        self.block = after;
        self.inline = inline;
    }

    /// Ends the piece and begins the next in the same code block.
    fn cut(&mut self) {
        let mut piece = std::mem::take(&mut self.piece);
        if let Some(block) = &mut self.block {
            match block.bare_since.take() {
                // Drop an empty block instead of showing it.
                Some(at) => piece.truncate(at),
                None => piece.push_str(CLOSING),
            }
            self.piece = block.opening.clone();
        } else {
            piece.push_str(self.inline);
            self.piece.push_str(self.inline);
        }
        self.used = utf16_length(&self.piece);
        self.done.push(piece);
    }

    fn finish(mut self) -> Vec<String> {
        if let Some(block) = &mut self.block
            && block.opening != FENCE
        {
            // Nothing follows that could repeat the language.
            block.bare_since = None;
        }
        self.cut();
        let trimmed = self.done.iter().map(|piece| piece.trim_matches('\n').to_owned());
        trimmed.filter(|piece| !piece.trim().is_empty()).collect()
    }
}

/// The block that is open after a part that will be at `at`.
fn behind(block: Option<&Block>, part: &str, ends: Ends, at: usize) -> Option<Block> {
    let info = |behind| if ends == Ends::Line { info(behind) } else { "" };
    let mut block = block.map(|block| Block { opening: block.opening.clone(), bare_since: None });
    let (mut rest, mut n_fences) = (part, 0);
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

/// The language after an opening fence, if nothing else is there.
fn info(behind: &str) -> &str {
    let name = behind.trim_end();
    let is_name =
        name.len() <= INFO_LENGTH_MAX && name.chars().all(|c| c.is_ascii_alphanumeric() || "_+-.#".contains(c));
    if is_name { name } else { "" }
}

/// A line in parts of at most `limit` units, including the mark before all but the first. An empty line is one empty
/// part.
fn parts(line: &str, limit: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = line;
    loop {
        let room = if parts.is_empty() { limit } else { limit.saturating_sub(1) };
        // Nothing fits only into a limit that holds no character: then the rest is one part.
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

/// The split after the last space of a part, if that is in its second half; else before backticks that the split would
/// separate.
fn at_a_word<'a>(rest: &'a str, part: &str) -> Option<(&'a str, &'a str)> {
    let half = part.len() / 2;
    let space = part.rfind(' ').map(|at| at + 1).filter(|&at| half < at);
    let marks = Some(part.trim_end_matches('`').len()).filter(|&at| half < at);
    rest.split_at_checked(space.or(marks)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FENCE, split_content};
    use crate::text::utf16_length;

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
        let (a, b) = ("a".repeat(12), "b b".repeat(7));
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

    /// The number of fences in a text: runs of three or more backticks.
    fn n_fences(text: &str) -> usize {
        text.split(|c| c != '`').filter(|run| FENCE.len() <= run.len()).count()
    }

    proptest! {
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
