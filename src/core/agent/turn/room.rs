//! The room of the model's context in a turn. Results are cut to fit. When the context is full, earlier exchanges are
//! left out and results shortened.

use crate::agent::prompt::budget::{BYTES_A_TOKEN, message_tokens};
use crate::agent::settings::ToolMode;
use crate::agent::tools::CallEnd;
use crate::agent::turn::plan::CallBatch;
use crate::agent::turn::words;
use crate::agent::turn::{Effect, Turn};

/// The maximum number of times that a turn leaves out earlier exchanges for lack of room.
const SHORTER_MAX: u32 = 2;

/// The minimum shown length of a result, in bytes, even if the context is full: a model that gets nothing invents.
const RESULT_BYTES_MIN: usize = 256;

impl Turn {
    /// Leaves out half of the earlier exchanges, and the rest the next time, because only a request shows how much the
    /// provider accepts. Returns whether there was something to leave out.
    pub(super) fn leave_out(&mut self) -> bool {
        let transcript = &mut self.setup.opening.transcript;
        let n_shown = transcript.n_exchanges();
        if n_shown == 0 || self.n_shorter == SHORTER_MAX {
            return false;
        }
        self.n_shorter += 1;
        let n = if self.n_shorter == SHORTER_MAX { n_shown } else { n_shown.div_ceil(2) };
        transcript.leave_out(n);
        // The model did not answer, so this was not a step.
        self.n_steps = self.n_steps.saturating_sub(1);
        self.n_left_out += n;
        true
    }

    /// Shortens the tool results of this turn to the minimum. Returns whether there was something to shorten.
    pub(super) fn shorten_results(&mut self) -> bool {
        let is_shorter = self.setup.opening.transcript.shorten_results(RESULT_BYTES_MIN);
        if is_shorter {
            // The model did not answer, so this was not a step.
            self.n_steps = self.n_steps.saturating_sub(1);
            self.setup.opening.room = 0;
        }
        is_shorter
    }

    /// Gives the model the result of each call, or the reason why it did not run.
    pub(super) fn answer_calls(&mut self, step: CallBatch, ends: Vec<CallEnd>) -> Effect {
        let room = self.setup.opening.room / step.len().max(1) * BYTES_A_TOKEN;
        let (text, answered, records) =
            step.answered(&ends, self.setup.limits.result_bytes.min(room).max(RESULT_BYTES_MIN));
        let used: usize = answered.iter().map(|(_, content)| message_tokens(content)).sum();
        self.setup.opening.room = self.setup.opening.room.saturating_sub(used + message_tokens(&text));
        self.record.calls.extend(records);
        match self.setup.mode {
            ToolMode::Native => self.setup.opening.transcript.step(text, answered),
            ToolMode::Text | ToolMode::None => {
                let results: Vec<_> = answered.into_iter().map(|(_, content)| content).collect();
                self.setup.opening.transcript.results(text, words::results(&results));
            }
        }
        self.ask()
    }
}
