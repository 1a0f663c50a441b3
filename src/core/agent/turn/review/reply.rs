//! A reply under review, with its findings.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::agent::tools::{OfferedTool, ToolText};
use crate::contract::{MODAL_INPUTS_MAX, Press};
use crate::record::turn::OFFERS_MAX;
use crate::record::{GuardFinding, OfferedRun, StrippedKind, StrippedText};

/// Replaces removed text between words.
const GAP: &str = "\n…\n";

/// The maximum number of calls that are compared with calls that ran and with offers, and of made-up results, because
/// each compiles schemas. All of them are removed.
pub(super) const CALLS_MAX: usize = 64;

#[derive(Debug, Default, PartialEq)]
pub(in crate::agent::turn) struct ReviewedReply<'a> {
    /// As the model wrote it.
    pub(super) text: &'a str,
    pub(super) calls: Vec<ToolText>,
    /// The removed ranges, in bytes of `text`, in order.
    pub(super) cuts: Vec<Range<usize>>,
    /// The removed text, for the record.
    pub(in crate::agent::turn) stripped: Vec<StrippedText>,
    /// The host's lines under the reply.
    pub(in crate::agent::turn) notes: Vec<String>,
    /// The commands that did not run and that the person may run.
    pub(in crate::agent::turn) offers: Vec<OfferedRun>,
    pub(in crate::agent::turn) findings: Vec<GuardFinding>,
}

impl<'a> ReviewedReply<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, ..Self::default() }
    }

    /// Removes a piece, in bytes, and records it as `kind`. Without a kind it belongs to an earlier piece and is not
    /// recorded again.
    pub(super) fn cut(&mut self, span: Range<usize>, kind: Option<StrippedKind>) {
        let piece = self.text.get(span.clone()).unwrap_or_default();
        self.stripped.extend(kind.map(|kind| StrippedText::new(kind, piece)));
        let at = self.cuts.partition_point(|cut| cut.start <= span.start);
        self.cuts.insert(at, span);
    }

    /// Adds a line of the host, without duplicates.
    pub(super) fn note(&mut self, line: String) {
        if !self.notes.contains(&line) {
            self.notes.push(line);
        }
    }

    /// Offers a command with these arguments to the person, if its button can be pressed. A modal asks for the other
    /// arguments.
    pub(super) fn offer(&mut self, tool: &OfferedTool, arguments: Map<String, Value>) {
        let arguments = tool.offered(arguments);
        let n_shown = match tool.press(&arguments) {
            Press::Runs => arguments.len(),
            Press::Asks(missing) => arguments.len() + missing.len(),
            Press::Impossible => return,
        };
        // A change is shown whole before it runs, so it must fit one modal.
        if tool.chat_only || OFFERS_MAX <= self.offers.len() || tool.writes && MODAL_INPUTS_MAX < n_shown {
            return;
        }
        let offer = OfferedRun { command: tool.path.to_string(), arguments, writes: tool.writes };
        if !self.offers.contains(&offer) {
            self.offers.push(offer);
        }
    }

    /// Returns the shown text without the removed pieces. May be empty. An ellipsis marks a gap between words.
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

    pub(super) fn has_lost_a_result(&self) -> bool {
        self.stripped.iter().any(|stripped| stripped.kind == StrippedKind::MadeUpResult.name())
    }
}
