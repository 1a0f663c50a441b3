//! Reviews a reply before anybody reads it: what is removed, what is pointed out.

use crate::agent::honesty::{
    strip_made_up, strip_tool_text, unbacked_claims, ungrounded, unknown_commands, unknown_receipts,
};
use crate::agent::prompt::HOST;
use crate::agent::tools::OfferedTool;
use crate::agent::turn::Turn;
use crate::agent::turn::machine::{Reminder, is_done};
use crate::agent::turn::ran::Ran;
use crate::language::{Language, say};
use crate::record::GuardFinding;
use crate::text::one_line;

/// The longest quotation in a note, in characters.
const QUOTATION_MAX: usize = 120;

/// A reviewed reply.
#[derive(Clone, Debug, Default)]
pub(super) struct Reviewed {
    /// The text that may be shown. Perhaps empty.
    pub(super) prose: String,
    /// Tool calls written as text, removed.
    pub(super) tool_text: Vec<String>,
    /// Made-up results, removed.
    pub(super) made_up: Vec<String>,
    /// Sentences that claim what no receipt backs.
    pub(super) claims: Vec<String>,
    /// Receipt ids that are not the turn's.
    pub(super) receipts: Vec<String>,
    /// Commands that do not exist.
    pub(super) commands: Vec<String>,
    /// Figures, names, paths and dates that occur in no result.
    pub(super) ungrounded: Vec<String>,
}

impl Turn {
    /// Reviews a reply, with the checks that are switched on.
    pub(super) fn review(&self, text: &str) -> Reviewed {
        // Only the host may use its mark.
        let mut reviewed = Reviewed { prose: text.trim().replace(HOST, "(host)"), ..Reviewed::default() };
        if self.setup.guard.tool_text {
            let stripped = strip_tool_text(&reviewed.prose, &self.setup.offered);
            (reviewed.prose, reviewed.tool_text) = (stripped.kept, stripped.removed);
        }
        if self.setup.guard.made_up_results {
            let results: Vec<_> = self.ran.iter().map(|ran| ran.text.as_str()).collect();
            let stripped = strip_made_up(&reviewed.prose, &results);
            (reviewed.prose, reviewed.made_up) = (stripped.kept, stripped.removed);
        }
        let done: Vec<_> = self.ran.iter().filter(|ran| is_done(&ran.receipt)).collect();
        if self.setup.guard.claims {
            let tools: Vec<OfferedTool> = done.iter().map(|ran| ran.call.tool().clone()).collect();
            reviewed.claims = unbacked_claims(&reviewed.prose, self.setup.offered.tools(), &tools);
        }
        // What a person confirmed is known. Other arguments are only the model's words.
        let confirmed = done.iter().filter(|ran| ran.call.tool().writes);
        let arguments: Vec<_> = confirmed.map(|ran| ran.receipt.facts().arguments.as_str()).collect();
        let said: Vec<&str> = self.setup.opening.known.iter().map(String::as_str).collect();
        let known: Vec<&str> =
            said.iter().copied().chain(arguments).chain(self.ran.iter().map(|ran: &Ran| ran.text.as_str())).collect();
        if self.setup.guard.claims {
            let ours: Vec<_> = self.ran.iter().map(|ran| ran.receipt.id()).collect();
            reviewed.receipts = unknown_receipts(&reviewed.prose, &ours, &known);
        }
        if self.setup.guard.command_names {
            reviewed.commands = unknown_commands(&reviewed.prose, &self.setup.catalog, &known);
        }
        // Without a tool, figures are a matter of general knowledge.
        if self.setup.guard.grounding && !self.ran.is_empty() {
            reviewed.ungrounded = ungrounded(&reviewed.prose, &known);
        }
        reviewed
    }
}

impl Reviewed {
    /// The first reason to ask for the reply again.
    pub(super) fn reminder(&self) -> Option<Reminder> {
        if !self.tool_text.is_empty() {
            Some(Reminder::ToolText)
        } else if !self.made_up.is_empty() && self.prose.is_empty() {
            Some(Reminder::MadeUp)
        } else if !self.findings(Language::ENGLISH).is_empty() {
            Some(Reminder::Unbacked)
        } else {
            None
        }
    }

    /// What nothing backs in the reply, each as a phrase: for the model in English, for the person in their language.
    pub(super) fn findings(&self, language: Language) -> Vec<String> {
        let quote = |text: &String| one_line(text, QUOTATION_MAX);
        let claims = self.claims.iter().map(|claim| say!(language, "note-claim", claim = quote(claim)));
        let receipts = self.receipts.iter().map(|id| say!(language, "note-receipt", id = id.as_str()));
        let commands = self.commands.iter().map(|name| say!(language, "note-command", command = quote(name)));
        let ungrounded = self.ungrounded.iter().map(quote).collect::<Vec<_>>();
        let ungrounded =
            (!ungrounded.is_empty()).then(|| say!(language, "note-ungrounded", details = ungrounded.join(", ")));
        claims.chain(receipts).chain(commands).chain(ungrounded).collect()
    }

    /// The findings to count.
    pub(super) fn counted(&self) -> impl Iterator<Item = GuardFinding> {
        let found = [
            (!self.tool_text.is_empty(), GuardFinding::ToolText),
            (!self.made_up.is_empty(), GuardFinding::MadeUpResult),
            (!self.claims.is_empty() || !self.receipts.is_empty(), GuardFinding::Claim),
            (!self.commands.is_empty(), GuardFinding::UnknownCommandName),
            (!self.ungrounded.is_empty(), GuardFinding::Ungrounded),
        ];
        found.into_iter().filter(|(found, _)| *found).map(|(_, finding)| finding)
    }

    /// The host's notes under the reply.
    pub(super) fn notes(&self, language: Language) -> Vec<String> {
        let tool_text = (!self.tool_text.is_empty()).then(|| say!(language, "note-tool-text"));
        let made_up = (!self.made_up.is_empty()).then(|| say!(language, "note-made-up"));
        tool_text.into_iter().chain(made_up).chain(self.findings(language)).collect()
    }
}
