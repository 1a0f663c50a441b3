//! What a turn comes to: the model's words, or why there are none.

use std::fmt;
use std::time::Duration;

use crate::agent::failure::ModelFailure;
use crate::language::{Language, say};
use crate::record::GuardFinding;

/// What a turn came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The model's words, checked and cut to what may be shown; not yet sanitized. Never empty.
    Prose(String),
    /// No words to show, and why, in the host's own.
    Failed(TurnFailure),
}

/// Why a turn has no reply of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnFailure {
    /// The model did not answer.
    Model(ModelFailure),
    /// The steps are spent.
    StepsSpent(usize),
    /// The corrections are spent.
    CorrectionsSpent(u32),
    /// The time is spent.
    OutOfTime(Duration),
    /// Nothing of its answer may be shown.
    NothingLeft,
    /// It gave up, and said nothing.
    GaveUp,
}

impl TurnFailure {
    /// What the person is told.
    pub fn told(&self, language: Language) -> String {
        match self {
            Self::Model(failure) => failure.told(language),
            Self::StepsSpent(n) => say!(language, "turn-steps-spent", n = *n),
            Self::CorrectionsSpent(n) => say!(language, "turn-corrections-spent", n = *n),
            Self::OutOfTime(limit) => say!(language, "turn-out-of-time", seconds = limit.as_secs()),
            Self::NothingLeft => say!(language, "turn-nothing-left"),
            Self::GaveUp => say!(language, "turn-gave-up"),
        }
    }

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

/// In English, for the log.
impl fmt::Display for TurnFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(Language::ENGLISH))
    }
}

impl std::error::Error for TurnFailure {}

impl From<ModelFailure> for TurnFailure {
    fn from(failure: ModelFailure) -> Self {
        Self::Model(failure)
    }
}
