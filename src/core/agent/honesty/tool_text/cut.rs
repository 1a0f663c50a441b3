//! Takes places out of a text so that no gap is seen.

use crate::agent::honesty::stripped::Stripped;
use crate::agent::honesty::tool_text::span::Span;

/// The text without these places, which are in order and do not touch. What parted the words before and behind a
/// gap parts them still, but no more than one blank line.
pub(super) fn cut(text: &str, spans: &[Span]) -> Stripped {
    let starts = spans.iter().map(|span| span.start).chain([text.len()]);
    let ends = [0].into_iter().chain(spans.iter().map(|span| span.end));
    let mut kept = String::with_capacity(text.len());
    let mut gap = Gap::default();
    for (from, to) in ends.zip(starts) {
        let piece = text.get(from..to).unwrap_or_default();
        let words = piece.trim();
        if words.is_empty() {
            gap.widen(piece);
            continue;
        }
        let (lead, rest) = piece.split_at(piece.len() - piece.trim_start().len());
        gap.widen(lead);
        if !kept.is_empty() {
            gap.fill(&mut kept, lead);
        }
        kept.push_str(words);
        gap = Gap::default();
        gap.widen(rest.split_at(words.len()).1);
    }
    let removed = spans.iter().filter_map(|span| text.get(span.clone())).map(|piece| piece.trim().to_owned());
    Stripped { kept, removed: removed.collect() }
}

/// The space between two kept pieces.
#[derive(Default)]
struct Gap {
    n_lines: usize,
    is_space: bool,
}

impl Gap {
    fn widen(&mut self, space: &str) {
        self.n_lines += space.matches('\n').count();
        self.is_space |= !space.is_empty();
    }

    /// `lead` is the space right in front of the next piece: how far that is indented.
    fn fill(&self, kept: &mut String, lead: &str) {
        let indent = lead.rsplit_once('\n').map_or("", |(_, indent)| indent);
        match self.n_lines {
            0 if self.is_space => kept.push(' '),
            0 => {}
            1 => kept.extend(["\n", indent]),
            _ => kept.extend(["\n\n", indent]),
        }
    }
}

/// The place with what is nothing without it: back-ticks around it, and the mark of a quotation or of a list in
/// front of a line that it fills.
pub(super) fn widened(text: &str, span: Span) -> Span {
    let span = without_ticks(text, span);
    let (Some(before), Some(behind)) = (text.get(..span.start), text.get(span.end..)) else { return span };
    let line_start = before.trim_end_matches(['>', '-', '*', ' ']).len();
    let is_line_start = before.get(..line_start).is_some_and(|lines| lines.is_empty() || lines.ends_with('\n'));
    let fills = behind.trim_start_matches(' ').is_empty() || behind.trim_start_matches(' ').starts_with('\n');
    if is_line_start && fills { line_start..span.end } else { span }
}

fn without_ticks(text: &str, span: Span) -> Span {
    let (Some(before), Some(behind)) = (text.get(..span.start), text.get(span.end..)) else { return span };
    let inner = before.trim_end_matches(' ');
    let inner = inner.strip_suffix("json").unwrap_or(inner);
    let opened = inner.trim_end_matches('`');
    let n_ticks = inner.len() - opened.len();
    let closing = behind.trim_start_matches(' ');
    let closed = closing.trim_start_matches('`');
    if n_ticks == 0 || n_ticks != closing.len() - closed.len() {
        return span;
    }
    opened.len()..text.len() - closed.len()
}
