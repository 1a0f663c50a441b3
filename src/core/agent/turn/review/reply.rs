//! A reply with what was found in it so far.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::agent::tools::{OfferedTool, ToolText};
use crate::contract::{MODAL_INPUTS_MAX, Press};
use crate::record::turn::OFFERS_MAX;
use crate::record::{GuardFinding, OfferedRun, StrippedKind, StrippedText};

/// What is left in the middle of a text where something was taken out.
const GAP: &str = "\n…\n";

/// The most calls of a reply that are compared with what ran and offered, and the most made-up results: each compiles
/// schemas. All of them are taken out.
pub(super) const CALLS_MAX: usize = 64;

/// A reply, read.
#[derive(Debug, Default, PartialEq)]
pub(in crate::agent::turn) struct Reply<'a> {
    /// The text as the model wrote it.
    pub(super) text: &'a str,
    /// Calls of this bot's tools written as text.
    pub(super) calls: Vec<ToolText>,
    /// Where something was taken out, in bytes of `text`, in order.
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
        Self { text, ..Self::default() }
    }

    /// Takes a piece out, in bytes, and keeps it as this. What belongs to a piece before it is not kept once more.
    pub(super) fn cut(&mut self, span: Range<usize>, kind: Option<StrippedKind>) {
        let piece = self.text.get(span.clone()).unwrap_or_default();
        self.stripped.extend(kind.map(|kind| StrippedText::new(kind, piece)));
        let at = self.cuts.partition_point(|cut| cut.start <= span.start);
        self.cuts.insert(at, span);
    }

    /// Adds a line of the host, once.
    pub(super) fn note(&mut self, line: String) {
        if !self.notes.contains(&line) {
            self.notes.push(line);
        }
    }

    /// Offers a command to the person, with these arguments, if a button for it can be pressed. A
    /// modal asks for the others.
    pub(super) fn offer(&mut self, tool: &OfferedTool, arguments: Map<String, Value>) {
        let arguments = tool.offered(arguments);
        let n_shown = match tool.press(&arguments) {
            Press::Runs => arguments.len(),
            Press::Asks(missing) => arguments.len() + missing.len(),
            Press::Impossible => return,
        };
        // A change is shown whole before it runs.
        if tool.chat_only || OFFERS_MAX <= self.offers.len() || tool.writes && MODAL_INPUTS_MAX < n_shown {
            return;
        }
        let offer = OfferedRun { command: tool.path.to_string(), arguments, writes: tool.writes };
        if !self.offers.contains(&offer) {
            self.offers.push(offer);
        }
    }

    /// The text that is shown, perhaps empty: without what was taken out. Where words stand on both sides of that, a
    /// sign shows that something was there.
    pub(in crate::agent::turn) fn prose(&self) -> String {
        let end = self.text.len();
        let mut kept = Vec::new();
        let mut behind = 0;
        for cut in self.cuts.iter().chain(std::iter::once(&(end..end))) {
            let piece = self.text.get(behind..cut.start).unwrap_or_default();
            kept.push(piece.trim_end().trim_start_matches(['\n', '\r']));
            behind = behind.max(cut.end);
        }
        kept.retain(|piece| !piece.is_empty());
        kept.join(GAP)
    }

    /// Whether a made-up result was taken out.
    pub(super) fn has_lost_a_result(&self) -> bool {
        self.stripped.iter().any(|stripped| stripped.kind == StrippedKind::MadeUpResult.name())
    }
}
