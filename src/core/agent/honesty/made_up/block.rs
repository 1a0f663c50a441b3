//! How far a made-up block goes.

use crate::agent::honesty::made_up::json::{self, looks_like_a_result, starts_object};
use crate::agent::honesty::made_up::label::{Label, label, tagged};
use crate::text::is_invisible;

/// A block of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// In bytes.
    pub(super) length: usize,
}

/// What a block is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What a tool would have answered.
    Answer,
    /// Words behind a label that people write too.
    Sentence,
    /// An object behind such a label, in the middle of a reply, that looks like no tool's answer.
    Example,
}

/// What stands before a piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextSpot {
    /// Nothing but white space and blocks.
    pub(super) at_front: bool,
    pub(super) behind: Behind,
}

/// How near a block is that stands before a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    /// It ended on this line or the one before.
    Block,
    /// Blank lines lie between, or it was a sentence that stays.
    Apart,
    /// Other words lie between, or there is none.
    Words,
}

/// Finds blocks in one text, front to back.
#[derive(Default)]
pub(super) struct Blocks {
    /// An object was never closed: further ones are looked for in their paragraph alone, so that no text is read
    /// again and again to its end.
    saw_unclosed: bool,
}

impl Blocks {
    /// The block that a text begins with, whose place is the start of a line or behind a block.
    pub(super) fn find(&mut self, text: &str, place: TextSpot) -> Option<Block> {
        let leading = match place.at_front || place.behind == Behind::Block {
            true => self.leading(text, place),
            false => None,
        };
        leading.or_else(|| match fenced(text) {
            Some(fence) if !fence.is_inline => None,
            Some(_) | None => self.labelled(text, place),
        })
    }

    /// The JSON that a text begins with, bare or in a fence, with a time stamp before it; or a labelled block behind a
    /// time stamp. At the front of a reply fenced JSON is what somebody asked for, unless it looks like an answer of a
    /// tool.
    fn leading(&mut self, text: &str, place: TextSpot) -> Option<Block> {
        let start = text.trim_start_matches(is_blank);
        let behind_stamp = behind_time_stamp(start);
        let block = behind_stamp.map_or(start, |behind| behind.trim_start());
        let sure = match behind_stamp {
            None if place.behind != Behind::Block => Sure::ByKeys,
            Some(_) | None => Sure::ByPlace,
        };
        let found = if starts_object(block) {
            Block { kind: Kind::Answer, length: self.object(block) }
        } else if let Some(fence) = fenced(block).filter(|fence| fence.holds_answer(sure)) {
            Block { kind: Kind::Answer, length: fence.length }
        } else {
            behind_stamp.and_then(|_| self.labelled(block, place))?
        };
        Some(found.behind(text.len() - block.len()))
    }

    /// The labelled or tagged block that a line begins with. Words that people write too are labels at the front and
    /// behind blocks alone.
    fn labelled(&mut self, text: &str, place: TextSpot) -> Option<Block> {
        if let Some(tagged) = tagged(text) {
            return Some(Block { kind: Kind::Answer, length: tagged.length });
        }
        let (label, behind) = label(text)?;
        let counts = match label {
            Label::Tool => true,
            Label::Word => place.at_front || place.behind != Behind::Words,
            Label::Adjacent => place.behind == Behind::Block,
        };
        let body = behind.trim_start_matches(is_blank);
        let before = text.len() - body.len();
        if !counts {
            let is_object = label == Label::Word && starts_object(body);
            return is_object.then(|| self.example(body)).map(|found| found.behind(before));
        }
        let found = match body.is_empty() || body.starts_with('\n') {
            true => self.below(label, body),
            false if starts_object(body) => Block { kind: Kind::Answer, length: self.object(body) },
            false => fenced(body).map_or_else(
                || Block { kind: label.kind(), length: line_length(body) },
                |fence| Block { kind: Kind::Answer, length: fence.length },
            ),
        };
        Some(found.behind(before))
    }

    /// An object in the middle of a reply, behind a word that people write too.
    fn example(&mut self, text: &str) -> Block {
        let length = self.object(text);
        let is_answer = text.get(..length).is_some_and(looks_like_a_result);
        Block { kind: if is_answer { Kind::Answer } else { Kind::Example }, length }
    }

    /// What stands on the lines below a label: JSON, a fence, or lines up to a blank one.
    fn below(&mut self, label: Label, text: &str) -> Block {
        let body = text.trim_start();
        let gap = text.strip_suffix(body).unwrap_or_default();
        let found = if starts_object(body) {
            Block { kind: Kind::Answer, length: self.object(body) }
        } else if let Some(fence) = fenced(body) {
            Block { kind: Kind::Answer, length: fence.length }
        } else if label == Label::Tool || gap.matches('\n').count() == 1 {
            Block { kind: label.kind(), length: paragraph_length(body) }
        } else {
            return Block { kind: label.kind(), length: 0 };
        };
        found.behind(gap.len())
    }

    /// The length of an object. One that is never closed goes to the next blank line.
    fn object(&mut self, text: &str) -> usize {
        let reach = if self.saw_unclosed { paragraph_length(text) } else { text.len() };
        text.get(..reach).and_then(json::length).unwrap_or_else(|| {
            self.saw_unclosed = true;
            paragraph_length(text)
        })
    }
}

impl Block {
    /// The same block with what stands before it.
    fn behind(self, before: usize) -> Self {
        Self { length: before + self.length, ..self }
    }
}

impl Label {
    /// What words behind this label are taken for.
    fn kind(self) -> Kind {
        match self {
            Self::Tool => Kind::Answer,
            Self::Word | Self::Adjacent => Kind::Sentence,
        }
    }
}

/// What a block says, without its time stamp, its label, its tags and its fence.
pub(super) fn bare(block: &str) -> &str {
    /// A time stamp, a label, a tag and a fence.
    const COATS_MAX: usize = 4;
    let mut bare = block.trim();
    for _ in 0..COATS_MAX {
        let inside = behind_time_stamp(bare)
            .or_else(|| fenced(bare).map(|fence| fence.inside))
            .or_else(|| tagged(bare).map(|tagged| tagged.inside))
            .or_else(|| label(bare).map(|(_, behind)| behind));
        match inside {
            Some(inside) => bare = inside.trim(),
            None => break,
        }
    }
    bare
}

/// What makes JSON an answer of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sure {
    /// Where it stands.
    ByPlace,
    /// Its keys.
    ByKeys,
}

/// A fenced block.
pub(super) struct Fence<'a> {
    info: &'a str,
    inside: &'a str,
    /// It stands within one line, where Discord shows it as code between words.
    pub(super) is_inline: bool,
    /// The whole length, in bytes.
    pub(super) length: usize,
}

impl Fence<'_> {
    /// Whether it is JSON by name and content, and an answer of a tool for sure or by its keys.
    fn holds_answer(&self, sure: Sure) -> bool {
        let is_json = ["", "json", "jsonc", "json5"].iter().any(|name| self.info.eq_ignore_ascii_case(name));
        let inside = self.inside.trim_start();
        is_json && starts_object(inside) && (sure == Sure::ByPlace || looks_like_a_result(inside))
    }
}

/// The fenced block that a line begins with. One that is never closed goes to the end of the text.
pub(super) fn fenced(text: &str) -> Option<Fence<'_>> {
    let start = text.trim_start_matches(' ');
    let mark = start.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let opened = start.trim_start_matches(mark);
    let marks = start.strip_suffix(opened).filter(|marks| 3 <= marks.len())?;
    if let Some((inside, behind)) = opened.split_once(marks).filter(|(inside, _)| !inside.contains('\n')) {
        let content = inside.trim_start_matches(|next: char| next.is_ascii_alphanumeric());
        let info = inside.strip_suffix(content).unwrap_or_default();
        return Some(Fence { info, inside: content, is_inline: true, length: text.len() - behind.len() });
    }
    let (info, content) = opened.split_once('\n').unwrap_or((opened, ""));
    let info = info.trim();
    let mut length = 0;
    for line in content.split_inclusive('\n') {
        // Models forget to begin a line for the closing marks.
        if let Some(last) = line.trim_end().strip_suffix(marks) {
            let inside = content.get(..length + last.len()).unwrap_or(content);
            let length = text.len() - content.len() + length + line.len();
            return Some(Fence { info, inside, is_inline: false, length });
        }
        length += line.len();
    }
    Some(Fence { info, inside: content, is_inline: false, length: text.len() })
}

/// The length of the first line, with its end.
pub(super) fn line_length(text: &str) -> usize {
    text.split_inclusive('\n').next().map_or(0, str::len)
}

/// The length of the lines up to the next blank one. The first counts in any case.
fn paragraph_length(text: &str) -> usize {
    let lines = text.split_inclusive('\n').enumerate();
    lines.take_while(|(nth, line)| *nth == 0 || !line.trim().is_empty()).map(|(_, line)| line.len()).sum()
}

/// The text behind `[2026-02-01 09:30]`, which models copy from transcripts.
fn behind_time_stamp(text: &str) -> Option<&str> {
    const SHAPE: &str = "0000-00-00 00:00";
    /// Seconds, fractions and a zone.
    const REST_LENGTH_MAX: usize = 20;
    let mut rest = text.strip_prefix('[')?.chars();
    for shape in SHAPE.chars() {
        let found = rest.next()?;
        let fits = match shape {
            '0' => found.is_ascii_digit(),
            ' ' => matches!(found, ' ' | 'T'),
            _ => found == shape,
        };
        if !fits {
            return None;
        }
    }
    for _ in 0..REST_LENGTH_MAX {
        match rest.next()? {
            ']' => return Some(rest.as_str()),
            found if found.is_ascii_alphanumeric() || matches!(found, ' ' | ':' | '.' | '+' | '-') => {}
            _ => return None,
        }
    }
    None
}

/// White space within a line, and what shows nothing.
fn is_blank(character: char) -> bool {
    character != '\n' && (character.is_whitespace() || is_invisible(character))
}
