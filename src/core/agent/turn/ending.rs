//! The end of a turn: with the model's words, or with a reason why there are none.

use std::fmt;
use std::time::Duration;

use crate::agent::ModelFailure;
use crate::language::{Language, say};
use crate::record::GuardFinding;
use crate::text::one_line;

/// The longest name of a tool that is repeated, in characters.
const NAME_MAX: usize = 60;

/// The result of a turn: the model's words, or the reason why there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The model's text, checked and cut to what may be shown; not yet sanitized. Never empty.
    Prose(String),
    /// A person stopped it: the model's text until then, checked like any. Perhaps empty.
    Stopped(String),
    /// No text to show, and why.
    Failed(TurnFailure),
}

/// Why a turn has no reply of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnFailure {
    /// The model did not answer.
    Model(ModelFailure),
    /// The limit of steps is reached.
    StepsSpent(usize),
    /// The limit of corrections is reached.
    CorrectionsSpent(u32),
    /// It called a tool that does not exist, again and again: the name as written.
    NoSuchTool(String),
    /// The time limit is reached.
    OutOfTime(Duration),
    /// The model has no room for what the tools answered in this turn.
    NoRoomForResults,
    /// The review removed everything from its answer.
    NothingLeft,
    /// It gave up without a text.
    GaveUp,
}

impl TurnFailure {
    /// The text for the person.
    pub fn text(&self, language: Language) -> String {
        match self {
            Self::Model(failure) => failure.text(language),
            Self::StepsSpent(n) => say!(language, "turn-steps-spent", n = *n),
            Self::CorrectionsSpent(n) => say!(language, "turn-corrections-spent", n = *n),
            Self::NoSuchTool(name) => say!(language, "turn-no-such-tool", name = one_line(name, NAME_MAX)),
            Self::OutOfTime(limit) => say!(language, "turn-out-of-time", seconds = limit.as_secs()),
            Self::NoRoomForResults => say!(language, "turn-no-room-for-results"),
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
            Self::NoSuchTool(_) => "no-such-tool",
            Self::OutOfTime(_) => "out-of-time",
            Self::NoRoomForResults => "no-room-for-results",
            Self::NothingLeft => "nothing-left",
            Self::GaveUp => "gave-up",
        }
    }

    /// The finding to count, if any.
    pub(super) fn finding(&self) -> Option<GuardFinding> {
        match self {
            Self::StepsSpent(_) => Some(GuardFinding::StepsSpent),
            Self::CorrectionsSpent(_) | Self::NoSuchTool(_) => Some(GuardFinding::CorrectionsSpent),
            Self::OutOfTime(_) => Some(GuardFinding::TimeSpent),
            Self::Model(_) | Self::NoRoomForResults | Self::NothingLeft | Self::GaveUp => None,
        }
    }
}

/// In English, for the log.
impl fmt::Display for TurnFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::ENGLISH))
    }
}

impl std::error::Error for TurnFailure {}

impl From<ModelFailure> for TurnFailure {
    fn from(failure: ModelFailure) -> Self {
        Self::Model(failure)
    }
}
