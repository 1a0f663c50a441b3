//! What goes into a turn and comes out of it: its setup, its inputs, its effects, and what is left when it is over.

use std::sync::Arc;
use std::time::Duration;

use crate::agent::ModelFailure;
use crate::agent::prompt::Opening;
use crate::agent::settings::{GuardSettings, TurnLimits};
use crate::agent::tools::{CallEnd, Completion, OfferedSet, PlannedCall};
use crate::agent::turn::ending::Ending;
use crate::contract::ToolMode;
use crate::language::Language;
use crate::record::{GuardFinding, Receipt, TurnRecord};
use crate::registry::Catalog;
use crate::reply::Mentionable;

/// What a turn starts with.
pub struct TurnSetup {
    /// The model's name, for the record.
    pub model: String,
    /// How the model calls tools.
    pub mode: ToolMode,
    /// The limits.
    pub limits: TurnLimits,
    /// The checks.
    pub guard: GuardSettings,
    /// The tools that may be called.
    pub offered: OfferedSet,
    /// The commands that this caller may use, to check the arguments of calls.
    pub catalog: Catalog,
    /// The conversation so far, with the person's words at its end, and the room that is left for the turn.
    pub opening: Opening,
    /// The person's words in this turn.
    pub request: String,
    /// The person's language, for the notes under the reply.
    pub language: Language,
}

/// What the host reports to a turn: an answer of the model, its failure, or how calls ended.
#[derive(Debug)]
pub enum Input {
    /// The model answered.
    Answered(Completion),
    /// The model failed.
    Failed(ModelFailure),
    /// The calls of [`Effect::Run`] ended, in their order.
    Ended(Vec<CallEnd>),
}

/// What a turn wants the host to do next.
#[derive(Debug)]
pub enum Effect {
    /// Ask the model with [`Turn::transcript`](crate::agent::Turn::transcript). Its words are to end within this time,
    /// counted from the first token.
    Ask {
        /// What is left of the turn's time.
        within: Duration,
    },
    /// Run these calls, in order. None may start after the time is over.
    Run {
        /// The calls.
        calls: Vec<PlannedCall>,
        /// The model's reason for them, on one line, where it gave one.
        reason: Option<String>,
        /// What is left of the turn's time.
        within: Duration,
    },
    /// The turn is over.
    Finish(Box<Finished>),
}

/// A turn that is over: what is shown, stored and counted of it.
#[derive(Debug)]
pub struct Finished {
    /// The model's text or the failure.
    pub ending: Ending,
    /// The receipts of the turn, in order.
    pub ran: Vec<Arc<Receipt>>,
    /// The host's notes for below the reply.
    pub notes: Vec<String>,
    /// The audit record.
    pub record: TurnRecord,
    /// Whom and what the reply may mention: what the model was shown as a mention.
    pub mentionable: Mentionable,
    /// The findings to count: one for each occurrence, retries included.
    pub findings: Vec<GuardFinding>,
}
