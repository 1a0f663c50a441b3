//! The interface of a turn: its setup, its inputs, its effects, and its result.

use std::sync::Arc;
use std::time::Duration;

use crate::agent::ModelFailure;
use crate::agent::prompt::Opening;
use crate::agent::settings::ToolMode;
use crate::agent::settings::{GuardSettings, TurnLimits};
use crate::agent::tools::{CallEnd, Completion, OfferedSet, PlannedCall};
use crate::agent::turn::ending::Ending;
use crate::language::Language;
use crate::record::{GuardFinding, Receipt, TurnRecord};
use crate::registry::Catalog;
use crate::reply::Mentionable;

pub struct TurnSetup {
    /// The model's name, for the record.
    pub model: String,
    pub mode: ToolMode,
    pub limits: TurnLimits,
    pub guard: GuardSettings,
    pub offered: OfferedSet,
    /// The commands that this caller may use, to check the arguments of calls.
    pub catalog: Catalog,
    /// The conversation up to the person's words, and the room that is left for the turn.
    pub opening: Opening,
    /// The person's words.
    pub request: String,
    /// For the notes under the reply.
    pub language: Language,
}

/// A report of the host to a turn.
#[derive(Debug)]
pub enum Input {
    Answered(Completion),
    Failed(ModelFailure),
    /// The calls of [`Effect::Run`] ended, in their order.
    Ended(Vec<CallEnd>),
}

/// A task that a turn gives to the host.
#[derive(Debug)]
pub enum Effect {
    /// Ask the model with [`Turn::transcript`](crate::agent::Turn::transcript). Its words must end within this time,
    /// counted from the first token.
    Ask {
        /// The rest of the turn's time.
        within: Duration,
    },
    /// Run these calls, in order. None may start after the time is over.
    Run {
        calls: Vec<PlannedCall>,
        /// The model's reason for them, on one line, if it gave one.
        reason: Option<String>,
        /// The rest of the turn's time.
        within: Duration,
    },
    Finish(Box<Finished>),
}

/// A turn that is over, with its data to show, store and count.
#[derive(Debug)]
pub struct Finished {
    pub ending: Ending,
    /// In order.
    pub ran: Vec<Arc<Receipt>>,
    /// The host's notes under the reply.
    pub notes: Vec<String>,
    pub record: TurnRecord,
    /// The mentions that the reply may contain: those that the model was shown.
    pub mentionable: Mentionable,
    /// The findings to count, one for each occurrence, including retries.
    pub findings: Vec<GuardFinding>,
}
