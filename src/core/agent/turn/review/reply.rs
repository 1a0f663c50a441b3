//! A reply with what was found in it so far.

use std::ops::Range;

use crate::agent::tools::ToolText;
use crate::agent::turn::review::finding::Finding;
use crate::record::turn::OFFERS_MAX;
use crate::record::{GuardFinding, OfferedRun, StrippedKind, StrippedText};
use crate::text::{CodeRules, SegmentKind, segments};

/// What is left in the middle of a text where something was taken out.
const GAP: &str = "…";

/// A reply, read.
#[derive(Debug, Default, PartialEq)]
pub(in crate::agent::turn) struct Reply<'a> {
    /// The text as the model wrote it.
    pub(super) text: &'a str,
    /// The text that is shown. Perhaps empty.
    pub(in crate::agent::turn) prose: String,
    /// Calls of this bot's tools written as text.
    pub(super) calls: Vec<ToolText>,
    /// Where something was taken out, in bytes of `text`.
    pub(super) cuts: Vec<Range<usize>>,
    /// What was taken out.
    pub(in crate::agent::turn) stripped: Vec<StrippedText>,
    /// The host's lines under the reply.
    pub(in crate::agent::turn) notes: Vec<String>,
    /// The commands that did not run and that the person may run.
    pub(in crate::agent::turn) offers: Vec<OfferedRun>,
    /// To count.
    pub(in crate::agent::turn) findings: Vec<GuardFinding>,
}

impl<'a> Reply<'a> {
    /// A reply in which nothing was found yet.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, prose: text.to_owned(), ..Self::default() }
    }

    /// Adds what a check found.
    pub(super) fn add(&mut self, findings: Vec<Finding>) {
        let n_cuts = self.cuts.len();
        for Finding { counted, cut, line, offer } in findings {
            self.findings.extend(counted);
            self.notes.extend(line);
            if let Some((span, kind)) = cut {
                let piece = self.text.get(span.clone()).unwrap_or_default();
                self.stripped.extend(kind.map(|kind| StrippedText::new(kind, piece)));
                self.cuts.push(span);
            }
            self.offers.extend(offer.filter(|offer| self.offers.len() < OFFERS_MAX && !self.offers.contains(offer)));
        }
        if n_cuts < self.cuts.len() {
            self.prose = without(self.text, self.cuts.clone());
        }
    }

    /// The words that are shown, without their code.
    pub(super) fn words(&self) -> String {
        words_of(&self.prose)
    }

    /// Whether a made-up result was taken out.
    pub(super) fn has_lost_a_result(&self) -> bool {
        self.stripped.iter().any(|stripped| stripped.kind == StrippedKind::MadeUpResult.name())
    }
}

/// The words of a text, without its code.
pub(in crate::agent::turn) fn words_of(text: &str) -> String {
    let text_alone = segments(text, CodeRules::Discord).filter(|segment| segment.kind == SegmentKind::Text);
    text_alone.filter_map(|segment| text.get(segment.range)).collect::<Vec<_>>().join(" ")
}

/// A text without these pieces. Where words stand on both sides, a sign shows that something was there.
fn without(text: &str, mut cuts: Vec<Range<usize>>) -> String {
    cuts.sort_by_key(|cut| cut.start);
    let mut kept = String::new();
    let mut behind = 0;
    for cut in cuts {
        let before = text.get(behind..cut.start.max(behind)).unwrap_or_default();
        let is_last = text.get(cut.end..).is_none_or(|rest| rest.trim().is_empty());
        kept.push_str(before.trim_end());
        if !kept.trim().is_empty() && !is_last {
            kept.push_str(if kept.ends_with(GAP) { "" } else { "\n" });
            kept.push_str(if kept.ends_with(GAP) { "" } else { GAP });
        }
        behind = cut.end.max(behind);
    }
    let rest = text.get(behind..).unwrap_or_default();
    match kept.is_empty() {
        true => rest.trim().to_owned(),
        false if rest.trim().is_empty() => kept,
        false if kept.ends_with(GAP) => format!("{kept}\n{}", rest.trim_start()),
        false => kept + rest,
    }
}
