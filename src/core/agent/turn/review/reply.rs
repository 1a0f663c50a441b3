//! A reply with what was found in it so far, and what follows from that.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::agent::tools::{OfferedTool, ToolText};
use crate::record::turn::OFFERS_MAX;
use crate::record::{GuardFinding, OfferedRun, StrippedKind, StrippedText};
use crate::text::{CodeRules, SegmentKind, segments};

/// What is left in the middle of a text where something was taken out.
const GAP: &str = "\n…\n";

/// The most calls of a reply that are compared with what ran and offered, and the most made-up results: each compiles
/// schemas. All of them are taken out.
pub(super) const CALLS_MAX: usize = 64;

/// One thing that follows from what a check found.
#[derive(Debug, PartialEq)]
pub(super) enum Finding {
    /// It is counted.
    Counted(GuardFinding),
    /// This piece is taken out, in bytes, and kept as this. What belongs to a piece before it is not kept once more.
    Cut(Range<usize>, Option<StrippedKind>),
    /// The host's line under the reply, said once.
    Line(String),
    /// The person may run this command.
    Offer(OfferedRun),
}

impl Finding {
    /// A command that the person may run, with those of these arguments that fit. A person fills in the others.
    pub(super) fn offer(tool: &OfferedTool, arguments: Map<String, Value>) -> Self {
        let arguments = tool.fitting(arguments);
        Self::Offer(OfferedRun { command: tool.path.to_string(), arguments, writes: tool.writes })
    }
}

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
        for finding in findings {
            match finding {
                Finding::Counted(finding) => self.findings.push(finding),
                Finding::Cut(span, kind) => {
                    let piece = self.text.get(span.clone()).unwrap_or_default();
                    self.stripped.extend(kind.map(|kind| StrippedText::new(kind, piece)));
                    self.cuts.push(span);
                }
                Finding::Line(line) if self.notes.contains(&line) => {}
                Finding::Line(line) => self.notes.push(line),
                Finding::Offer(offer) if OFFERS_MAX <= self.offers.len() || self.offers.contains(&offer) => {}
                Finding::Offer(offer) => self.offers.push(offer),
            }
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
    let mut kept = Vec::new();
    let mut behind = 0;
    for cut in cuts.into_iter().chain(std::iter::once(text.len()..text.len())) {
        let piece = text.get(behind..cut.start).unwrap_or_default();
        kept.push(piece.trim_end().trim_start_matches(['\n', '\r']));
        behind = behind.max(cut.end);
    }
    kept.retain(|piece| !piece.is_empty());
    kept.join(GAP)
}
