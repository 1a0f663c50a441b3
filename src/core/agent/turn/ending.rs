//! The end of a turn: the model's words, or the reason for their absence.

use std::fmt;
use std::time::Duration;

use crate::agent::ModelFailure;
use crate::language::{Language, say};
use crate::record::GuardFinding;
use crate::text::one_line;

/// The maximum length of a tool's name in a text, in characters.
const NAME_MAX: usize = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The model's text, checked and cut to the displayable length; not yet sanitized. Never empty.
    Prose(String),
    /// A person stopped it. The model's text so far, checked like any other. May be empty.
    Stopped(String),
    Failed(TurnFailure),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnFailure {
    Model(ModelFailure),
    StepsSpent(usize),
    CorrectionsSpent(u32),
    /// The model repeatedly called a tool that does not exist. Its name as written.
    NoSuchTool(String),
    OutOfTime(Duration),
    /// The model's context has no room for the tool results of this turn.
    NoRoomForResults,
    /// The review removed the whole answer.
    NothingLeft,
    GaveUp,
}

impl TurnFailure {
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

    /// Returns the stable name for the record and the log.
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
