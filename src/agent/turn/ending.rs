//! What a turn comes to: the model's words, or why there are none.

use std::time::Duration;

use crate::agent::failure::ModelFailure;
use crate::counters::GuardFinding;

/// What a turn came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The model's words, checked and cut to what may be shown; not yet sanitized. Never empty.
    Prose(String),
    /// No words to show, and why, in the host's own.
    Failed(TurnFailure),
}

/// Why a turn has no reply of the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnFailure {
    /// The model did not answer.
    #[error("{0}")]
    Model(#[from] ModelFailure),
    /// The steps are spent.
    #[error("The chat model did not come to an answer within {0} steps, so it was stopped.")]
    StepsSpent(usize),
    /// The corrections are spent.
    #[error(
        "The chat model kept asking for things that do not exist or cannot be read. After {0} corrections it was stopped."
    )]
    CorrectionsSpent(u32),
    /// The time is spent.
    #[error("The chat model did not come to an answer within {} s, so it was stopped.", .0.as_secs())]
    OutOfTime(Duration),
    /// Nothing of its answer may be shown.
    #[error("The chat model answered with nothing but made-up output, which was taken out. That is no answer.")]
    NothingLeft,
    /// It gave up, and said nothing.
    #[error("The chat model says that it cannot do this, and gives no reason.")]
    GaveUp,
}

impl TurnFailure {
    /// The stable name, for the record and the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Model(failure) => failure.name(),
            Self::StepsSpent(_) => "steps-spent",
            Self::CorrectionsSpent(_) => "corrections-spent",
            Self::OutOfTime(_) => "out-of-time",
            Self::NothingLeft => "nothing-left",
            Self::GaveUp => "gave-up",
        }
    }

    /// What is counted of it.
    pub(super) fn finding(&self) -> Option<GuardFinding> {
        match self {
            Self::StepsSpent(_) => Some(GuardFinding::StepsSpent),
            Self::CorrectionsSpent(_) => Some(GuardFinding::CorrectionsSpent),
            Self::OutOfTime(_) => Some(GuardFinding::TimeSpent),
            Self::Model(_) | Self::NothingLeft | Self::GaveUp => None,
        }
    }
}
