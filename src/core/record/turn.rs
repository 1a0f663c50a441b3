//! The audit record of one turn: what `/receipt` shows of a reply.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::inbound::{Place, UserId};

/// The number of a turn in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId(pub u64);

/// A turn as the store keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptTurn {
    /// Its number.
    pub id: TurnId,
    /// Whose turn it was.
    pub user: UserId,
    /// Where.
    pub place: Place,
    /// When the person's words arrived.
    pub at: SystemTime,
    /// What happened.
    pub record: TurnRecord,
    /// Whether saving its memory for real was asked for since, and was done or may have been: it is asked for once.
    pub recovered: bool,
}

/// What happened in a turn. Kept as JSON, so fields are only ever added, each with a default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnRecord {
    /// The model asked.
    pub model: String,
    /// How it could call tools: `native`, `text` or `none`.
    pub tools: String,
    /// The names it was offered.
    pub offered: Vec<String>,
    /// Every call it made, in order.
    pub calls: Vec<CallRecord>,
    /// What was taken out of its text: at most 16 pieces.
    pub stripped: Vec<StrippedText>,
    /// Corrections used: unknown names, unreadable or invalid calls, broken blocks.
    pub corrections: u32,
    /// Requests made to the model.
    pub steps: u32,
    /// The host's notes under the reply.
    pub notes: Vec<String>,
    /// Why there was no answer, if there was none: the failure's stable name.
    pub failure: Option<String>,
    /// The arguments of a memory that was only pretended to be saved.
    pub recoverable: Option<Map<String, Value>>,
}

/// One call of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallRecord {
    /// The name as the model wrote it, at most 100 characters.
    pub tool: String,
    /// The command it stands for, `/tasks list`, if it stands for one.
    pub command: Option<String>,
    /// The arguments as JSON text, at most 1,000 characters.
    pub arguments: String,
    /// `done`, `refused`, `failed`, `timed-out`, or why it did not run.
    pub outcome: String,
    /// The receipt's id, if it ran.
    pub receipt: Option<String>,
    /// How long it ran.
    pub took_ms: Option<u64>,
}

/// Text of a model that nobody was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StrippedText {
    /// `tool-text` or `made-up-result`.
    pub kind: String,
    /// The text, at most 4,000 characters.
    pub text: String,
}

/// What was taken out of a model's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrippedKind {
    /// A tool call written as text.
    ToolText,
    /// A result that no tool gave.
    MadeUpResult,
}

impl StrippedKind {
    /// The stable name, in the record.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolText => "tool-text",
            Self::MadeUpResult => "made-up-result",
        }
    }
}
