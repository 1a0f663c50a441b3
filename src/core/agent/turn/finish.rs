//! The end of a turn: the reply, the host's lines under it, and the record.

use crate::agent::turn::machine::NOTES_MAX;
use crate::agent::turn::{Effect, Ending, Finished, Turn, TurnFailure};
use crate::language::say;

impl Turn {
    /// Ends with a failure, or with an earlier reply that a reminder did not improve.
    pub(super) fn give_up(&mut self, failure: TurnFailure) -> Effect {
        self.findings.extend(failure.finding());
        match self.held.take() {
            Some(held) => self.finish_with(&held),
            None => {
                self.record.failure = Some(failure.name().to_owned());
                // What was asked for did not happen, and there are no words to look at.
                let reviewed = self.review("");
                self.record.offers = reviewed.offers;
                let notes = reviewed.notes.into_iter().chain(self.not_run()).collect();
                self.finish(Ending::Failed(failure), notes)
            }
        }
    }

    /// Ends with the model's words.
    pub(super) fn finish_with(&mut self, text: &str) -> Effect {
        let reviewed = self.review(text);
        self.findings.extend(reviewed.findings);
        self.record.stripped.extend(reviewed.stripped);
        text.clone_into(&mut self.record.said);
        self.record.offers = reviewed.offers;
        let notes = reviewed.notes.into_iter().chain(self.not_run()).collect();
        if reviewed.prose.is_empty() {
            self.record.failure = Some(TurnFailure::NothingLeft.name().to_owned());
            return self.finish(Ending::Failed(TurnFailure::NothingLeft), notes);
        }
        let left_out = self.left_out().into_iter().chain(notes).collect();
        self.finish(Ending::Prose(reviewed.prose), left_out)
    }

    /// The host's line on the earlier messages that the model was not shown for lack of room.
    fn left_out(&self) -> Option<String> {
        // An exchange is a question and an answer.
        let n = self.n_left_out * 2;
        (0 < n).then(|| say!(self.setup.language, "note-left-out", n = n))
    }

    /// The host's line for every valid call that did not run, each once. What ran is shown by its own answer.
    fn not_run(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for line in &self.not_run {
            if !lines.contains(line) {
                lines.push(line.clone());
            }
        }
        let n_more = lines.len().saturating_sub(NOTES_MAX);
        lines.truncate(NOTES_MAX);
        lines.extend((0 < n_more).then(|| say!(self.setup.language, "notes-more-failures", n = n_more)));
        lines
    }

    fn finish(&mut self, ending: Ending, notes: Vec<String>) -> Effect {
        let mut record = std::mem::take(&mut self.record);
        record.corrections = self.n_corrections;
        record.steps = u32::try_from(self.n_steps).unwrap_or(u32::MAX);
        record.notes.clone_from(&notes);
        let ran = std::mem::take(&mut self.ran).into_iter().map(|ran| ran.receipt).collect();
        let findings = std::mem::take(&mut self.findings);
        Effect::Finish(Box::new(Finished { ending, ran, notes, record, findings }))
    }
}
