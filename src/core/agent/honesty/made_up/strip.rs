//! Made-up results: text that looks like a tool's answer, which no tool gave.
//!
//! Taken out are JSON objects that a reply begins with, and labelled blocks (`Tool Result:`, `<tool_response>`)
//! at the start of any line. Words that people write too (`Result:`) are labels at the front and behind other blocks
//! alone, or where an object behind them has the keys of a tool's answer. Fenced JSON at the front is what somebody
//! asked for unless it has such keys, and JSON behind words is an example: both stay. Every scan goes over a text
//! once, whatever the text.

use crate::agent::honesty::made_up::block;
use crate::agent::honesty::made_up::block::{Behind, Block, Blocks, Kind, TextSpot, fenced, line_length};
use crate::agent::honesty::made_up::said::Said;
use crate::agent::honesty::stripped::Stripped;

/// Takes made-up results out of a reply. `results` are the texts of this turn's receipts: what says the same as
/// one of them stays, and so does a sentence behind `Result:` whose every figure is theirs. A sentence without a figure
/// stays only if a receipt has the same words, for "Result: it is saved" sounds alike whatever happened.
pub fn strip_made_up(text: &str, results: &[&str]) -> Stripped {
    let mut strip = Strip::new(Said::new(results));
    let mut rest = text;
    while !rest.is_empty() {
        rest = strip.advance(rest);
    }
    if strip.removed.is_empty() {
        return Stripped { kept: text.trim().to_owned(), removed: Vec::new() };
    }
    Stripped { kept: strip.kept.trim().to_owned(), removed: strip.removed }
}

/// A walk over a text, line by line and block by block.
struct Strip {
    kept: String,
    removed: Vec<String>,
    said: Said,
    blocks: Blocks,
    place: TextSpot,
    /// Something was taken out behind what is kept.
    was_cut: bool,
}

impl Strip {
    fn new(said: Said) -> Self {
        Self {
            kept: String::new(),
            removed: Vec::new(),
            said,
            blocks: Blocks::default(),
            place: TextSpot { at_front: true, behind: Behind::Words },
            was_cut: false,
        }
    }

    /// Takes one piece from the front of the text, which stands at the start of a line or behind a block, and
    /// returns the text behind it.
    fn advance<'a>(&mut self, text: &'a str) -> &'a str {
        match self.blocks.find(text, self.place) {
            Some(Block { kind: Kind::Example, length }) => self.keep(text, length),
            Some(block) => self.take(text, block),
            None => {
                let fence = fenced(text).filter(|fence| !fence.is_inline);
                self.keep(text, fence.map_or_else(|| line_length(text), |fence| fence.length))
            }
        }
    }

    /// Takes a block out, unless a receipt says the same.
    fn take<'a>(&mut self, text: &'a str, Block { kind, length }: Block) -> &'a str {
        let (block, behind) = text.split_at_checked(length).unwrap_or((text, ""));
        let content = block::bare(block);
        let is_sentence = kind == Kind::Sentence && self.said.has_figures_of(content);
        self.place.behind = if is_sentence { Behind::Apart } else { Behind::Block };
        let rest = behind.trim_start_matches(|next: char| next != '\n' && next.is_whitespace());
        let rest = rest.strip_prefix('\n').unwrap_or(rest);
        if is_sentence || self.said.says(content) {
            self.push(block);
            self.push(behind.strip_suffix(rest).unwrap_or_default());
        } else {
            self.removed.push(block.trim().to_owned());
            self.was_cut = true;
        }
        rest
    }

    fn keep<'a>(&mut self, text: &'a str, length: usize) -> &'a str {
        let (piece, behind) = text.split_at_checked(length).unwrap_or((text, ""));
        self.place.at_front &= piece.trim().is_empty();
        self.place.behind = match self.place.behind {
            Behind::Block | Behind::Apart if piece.trim().is_empty() => Behind::Apart,
            Behind::Block | Behind::Apart | Behind::Words => Behind::Words,
        };
        self.push(piece);
        behind
    }

    /// Adds to what is kept. Where something was taken out, a paragraph ends.
    fn push(&mut self, piece: &str) {
        if self.was_cut {
            if piece.trim().is_empty() {
                return;
            }
            self.kept.truncate(self.kept.trim_end().len());
            if !self.kept.is_empty() {
                self.kept.push_str("\n\n");
            }
            self.was_cut = false;
        }
        self.kept.push_str(piece);
    }
}
