//! The audit record of a chat turn, which `/receipt` shows for a reply.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::inbound::{Place, UserId};

/// The number of a chat turn in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId(pub u64);

/// A chat turn as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptTurn {
    /// Its number.
    pub id: TurnId,
    /// The user whose turn it was.
    pub user: UserId,
    /// The place of the turn.
    pub place: Place,
    /// When the user's message arrived.
    pub at: SystemTime,
    /// What happened.
    pub record: TurnRecord,
    /// Whether really saving the pretended memory was already requested; it can be requested only once.
    pub recovered: bool,
}

/// What happened in a turn. Stored as JSON, so fields are only ever added, each with a default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnRecord {
    /// The model.
    pub model: String,
    /// How it could call tools: `native`, `text` or `none`.
    pub tools: String,
    /// The names of the tools it was offered.
    pub offered: Vec<String>,
    /// Every call it made, in order.
    pub calls: Vec<CallRecord>,
    /// What was removed from its text: at most 16 pieces.
    pub stripped: Vec<StrippedText>,
    /// Corrections used: unknown names, unreadable or invalid calls, broken blocks.
    pub corrections: u32,
    /// Requests made to the model.
    pub steps: u32,
    /// The host's notes under the reply.
    pub notes: Vec<String>,
    /// The stable name of the failure, if there was no answer.
    pub failure: Option<String>,
    /// The arguments of a memory that the model only pretended to save.
    pub recoverable: Option<Map<String, Value>>,
}

/// One tool call of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallRecord {
    /// The name as the model wrote it, at most 100 characters.
    pub tool: String,
    /// The command that the tool stands for, such as `/tasks list`, if any.
    pub command: Option<String>,
    /// The arguments as JSON text, at most 1,000 characters.
    pub arguments: String,
    /// `done`, `refused`, `failed`, `timed-out`, or why it did not run.
    pub outcome: String,
    /// The receipt id, if it ran.
    pub receipt: Option<String>,
    /// How long it ran.
    pub took_ms: Option<u64>,
}

/// Model text that was shown to nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StrippedText {
    /// `tool-text` or `made-up-result`.
    pub kind: String,
    /// The text, at most 4,000 characters.
    pub text: String,
}

/// The kind of text removed from a model's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrippedKind {
    /// A tool call written as text.
    ToolText,
    /// A result that no tool returned.
    MadeUpResult,
}

impl StrippedKind {
    /// The stable name used in the record.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolText => "tool-text",
            Self::MadeUpResult => "made-up-result",
        }
    }
}
