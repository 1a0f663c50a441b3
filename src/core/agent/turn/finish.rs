//! The end of a turn: the reply, the notes under it, and the record.

use serde_json::{Map, Value};

use crate::agent::honesty::recoverable_memory;
use crate::agent::tools::OfferedTool;
use crate::agent::turn::machine::NOTES_MAX;
use crate::agent::turn::review::Reviewed;
use crate::agent::turn::{Effect, Ending, Finished, MEMORY, Turn, TurnFailure, words};
use crate::inbound::CommandPath;
use crate::language::say;
use crate::record::{Outcome, StrippedKind, TurnRecord};
use crate::text::one_line;

/// How much of a memory that was not saved is shown, in characters.
const UNSAVED_MAX: usize = 300;

impl Turn {
    /// Ends with a failure, or with an earlier reply that a reminder did not improve.
    pub(super) fn give_up(&mut self, failure: TurnFailure) -> Effect {
        self.findings.extend(failure.finding());
        match self.held.take() {
            Some(held) => self.finish_with(self.review(&held)),
            None => {
                self.record.failure = Some(failure.name().to_owned());
                let notes = self.failures();
                self.finish(Ending::Failed(failure), notes)
            }
        }
    }

    pub(super) fn finish_with(&mut self, reviewed: Reviewed) -> Effect {
        let mut notes = reviewed.notes(self.setup.language);
        notes.extend(self.failures());
        if reviewed.prose.is_empty() {
            self.record.failure = Some(TurnFailure::NothingLeft.name().to_owned());
            return self.finish(Ending::Failed(TurnFailure::NothingLeft), notes);
        }
        self.finish(Ending::Prose(reviewed.prose), notes)
    }

    /// The host's line for every call that did not do what was asked: they are shown whatever the model says about it.
    /// Unknown outcomes come first, and each line appears once.
    fn failures(&self) -> Vec<String> {
        let mut ended: Vec<_> = self.ran.iter().map(|ran| ran.receipt.facts()).collect();
        ended.sort_by_key(|facts| match facts.outcome {
            Outcome::TimedOut => 0,
            Outcome::Failed => 1,
            Outcome::Refused | Outcome::Done => 2,
        });
        let ended = ended.into_iter().filter_map(|facts| words::outcome(facts, self.setup.language));
        let mut lines: Vec<String> = Vec::new();
        for line in ended.chain(self.not_run.iter().cloned()) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        let n_more = lines.len().saturating_sub(NOTES_MAX);
        lines.truncate(NOTES_MAX);
        lines.extend((0 < n_more).then(|| say!(self.setup.language, "notes-more-failures", n = n_more)));
        lines
    }

    fn finish(&mut self, ending: Ending, mut notes: Vec<String>) -> Effect {
        let mut record = std::mem::take(&mut self.record);
        record.corrections = self.n_corrections;
        record.steps = u32::try_from(self.n_steps).unwrap_or(u32::MAX);
        let recoverable = self.recoverable(&record);
        if let Some((memory, arguments)) = &recoverable {
            notes.push(one_line(
                &say!(self.setup.language, "note-not-saved", memory = memory.written(arguments)),
                UNSAVED_MAX,
            ));
        }
        record.notes.clone_from(&notes);
        let recoverable = recoverable.map(|(_, arguments)| arguments);
        record.recoverable.clone_from(&recoverable);
        let ran = std::mem::take(&mut self.ran).into_iter().map(|ran| ran.receipt).collect();
        let findings = std::mem::take(&mut self.findings);
        Effect::Finish(Box::new(Finished { ending, ran, notes, recoverable, record, findings }))
    }

    /// A memory that the model pretended to save, if it called for none to be saved in this turn: what was saved,
    /// declined, or perhaps saved, is not saved behind the person's back.
    fn recoverable(&self, record: &TurnRecord) -> Option<(OfferedTool, Map<String, Value>)> {
        let saved = CommandPath::new(MEMORY.0, Some(MEMORY.1));
        let command = saved.to_string();
        if record.calls.iter().any(|call| call.command.as_ref() == Some(&command)) {
            return None;
        }
        let memory = OfferedTool::of(&self.setup.catalog, &saved)?;
        let made_up: Vec<_> = record
            .stripped
            .iter()
            .filter(|stripped| stripped.kind == StrippedKind::MadeUpResult.name())
            .map(|stripped| stripped.text.clone())
            .collect();
        let arguments = recoverable_memory(&made_up, &memory)?;
        Some((memory, arguments))
    }
}
