//! The end of a turn: the reply, the host's lines under it, and the record.

use crate::agent::prompt::opening::EXCHANGES;
use crate::agent::turn::machine::NOTES_MAX;
use crate::agent::turn::plan::Spared;
use crate::agent::turn::plan::take_out_private;
use crate::agent::turn::review::{ReviewedReply, review};
use crate::agent::turn::words;
use crate::agent::turn::{Effect, Ending, Finished, Turn, TurnFailure};
use crate::language::say;

impl Turn {
    /// Ends the turn after a failure. Falls back to the reply that a reminder did not improve, or to the words beside
    /// calls with a line on the failure.
    pub(super) fn give_up(&mut self, failure: TurnFailure) -> Effect {
        self.findings.extend(failure.finding());
        match self.held.take() {
            Some(held) => self.finish_with(&held),
            None if !self.beside.is_empty() => {
                self.not_run.insert(0, failure.text(self.setup.language));
                self.record.cut = Some(failure.name().to_owned());
                self.finish_with("")
            }
            // The request was not fulfilled, and there are no words to review.
            None => self.fail(failure, ""),
        }
    }

    /// Ends with a failure. `text` has no words of the model in it, but perhaps half a call.
    pub(super) fn fail(&mut self, failure: TurnFailure, text: &str) -> Effect {
        self.record.failure = Some(failure.name().to_owned());
        let ReviewedReply { findings, stripped, notes, offers, .. } = review(self.facts(), text);
        self.findings.extend(findings);
        self.record.stripped.extend(stripped);
        self.record.said = text.to_owned();
        self.record.offers = offers;
        let notes = notes.into_iter().chain(self.not_run()).collect();
        self.finish(Ending::Failed(failure), notes)
    }

    pub(super) fn finish_with(&mut self, text: &str) -> Effect {
        let (prose, notes) = self.checked(text);
        if prose.is_empty() {
            self.record.failure = Some(TurnFailure::NothingLeft.name().to_owned());
            return self.finish(Ending::Failed(TurnFailure::NothingLeft), notes);
        }
        self.finish(Ending::Prose(prose), notes)
    }

    /// Stops the turn at a person's request. Keeps the text so far, with `line` under it. Nothing more starts.
    pub fn stop(mut self, written: &str, line: String) -> Box<Finished> {
        self.not_run.insert(0, line);
        let held = self.held.take().filter(|_| written.is_empty());
        let text = held.as_deref().unwrap_or(written);
        // Half a call is not words for a person.
        let is_of_words = !self.beside.is_empty() || !self.words_in(text).is_empty();
        let (prose, notes) = self.checked(text);
        let prose = if is_of_words { prose } else { String::new() };
        self.record.cut = Some("stopped".to_owned());
        self.finished(Ending::Stopped(prose), notes)
    }

    /// Returns the reply as shown, with the words beside its calls first, and the lines under it.
    fn checked(&mut self, text: &str) -> (String, Vec<String>) {
        let text = match self.beside.is_empty() {
            true => text.to_owned(),
            false => {
                self.writes_beside(text);
                self.beside()
            }
        };
        let reply = review(self.facts(), &text);
        let prose = reply.prose();
        let ReviewedReply { findings, stripped, notes, offers, .. } = reply;
        self.findings.extend(findings);
        self.record.stripped.extend(stripped);
        self.record.said = text;
        self.record.offers = offers;
        let notes = self.left_out().into_iter().chain(notes).chain(self.not_run()).collect();
        (prose.trim().to_owned(), notes)
    }

    /// Returns the host's line on earlier messages that were left out for lack of room.
    fn left_out(&self) -> Option<String> {
        // An exchange is a question and an answer.
        let n = self.n_left_out * 2;
        (0 < n).then(|| say!(self.setup.language, "note-left-out", n = n))
    }

    /// Returns the host's lines for valid calls that did not run, without duplicates. Calls that ran show their own
    /// answers.
    fn not_run(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for line in self.not_run.iter().cloned().chain(self.spared()) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        let n_more = lines.len().saturating_sub(NOTES_MAX);
        lines.truncate(NOTES_MAX);
        lines.extend((0 < n_more).then(|| say!(self.setup.language, "notes-more-failures", n = n_more)));
        lines
    }

    /// Returns the host's lines for spared calls that did not run later.
    fn spared(&self) -> impl Iterator<Item = String> {
        self.spared.iter().filter_map(|(call, why, n_ran)| {
            let later = self.ran.get(*n_ran..).unwrap_or_default();
            let tool = call.tool();
            let ran_after_all = later.iter().any(|ran| {
                // The rest of a step with too many calls is often of the same tool, so the arguments must match too.
                let is_same = *why != Spared::TooMany || ran.call.arguments() == call.arguments();
                ran.call.tool().name == tool.name && is_same
            });
            let line = || words::not_run(&tool.path.to_string(), &why.told(self.setup.language), self.setup.language);
            (!ran_after_all).then(line)
        })
    }

    fn finish(&mut self, ending: Ending, notes: Vec<String>) -> Effect {
        Effect::Finish(self.finished(ending, notes))
    }

    fn finished(&mut self, ending: Ending, notes: Vec<String>) -> Box<Finished> {
        let mut record = std::mem::take(&mut self.record);
        record.corrections = self.n_corrections;
        record.steps = u32::try_from(self.n_steps).unwrap_or(u32::MAX);
        record.notes.clone_from(&notes);
        for piece in record.given.iter_mut().filter(|piece| piece.what == EXCHANGES) {
            piece.bytes = self.setup.opening.transcript.n_exchanges() as u64;
        }
        take_out_private(&mut record, &self.setup.offered);
        let ran = std::mem::take(&mut self.ran).into_iter().map(|ran| ran.receipt).collect();
        let findings = std::mem::take(&mut self.findings);
        let mentionable = self.setup.opening.transcript.mentionable();
        Box::new(Finished { ending, ran, notes, record, mentionable, findings })
    }
}
