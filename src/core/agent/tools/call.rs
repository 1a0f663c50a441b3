//! Tool calls: as the model wrote them, as planned, and how they ended.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::agent::surroundings::ContextSource;
use crate::agent::tools::offer::OfferedTool;
use crate::agent::tools::tool_text::TextCall;
use crate::inbound::{Caller, Member, UserId};
use crate::language::Language;
use crate::record::Receipt;
use crate::reply::Answer;

/// A model's complete answer to one request. All of it is untrusted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completion {
    /// Its text. Empty if it only called tools.
    pub text: String,
    /// The tool calls in the API's own form, in order. Calls written as text are part of the text.
    pub calls: Vec<RawCall>,
    /// Why the text ends in the middle, if it does. Then there are no calls.
    pub cut: Option<Cut>,
}

/// Why a model's answer ends in the middle. What was written until then is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The model's limit of length was reached.
    Length,
    /// It is longer than the bot shows.
    Longest,
    /// The time for it was over, or the model paused for too long.
    Time,
    /// The connection was lost, or the server sent no more.
    Lost,
    /// The answer broke off before a tool call, or its calls were not offered or too many. None of them runs.
    Call,
}

impl Cut {
    /// The stable name, for the log and the record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Longest => "longest",
            Self::Time => "time",
            Self::Lost => "lost",
            Self::Call => "call",
        }
    }
}

/// A call as the model wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct RawCall {
    /// The id the server gave it: missing or repeated on some servers.
    pub id: Option<String>,
    /// The tool's name as written.
    pub name: String,
    /// The arguments as far as they can be read.
    pub arguments: RawArguments,
}

impl From<TextCall> for RawCall {
    fn from(call: TextCall) -> Self {
        Self { id: None, name: call.name, arguments: RawArguments::Object(call.arguments) }
    }
}

/// Arguments as the model wrote them.
#[derive(Clone, Debug, PartialEq)]
pub enum RawArguments {
    /// A JSON object, or nothing at all, which counts as an empty one.
    Object(Map<String, Value>),
    /// Anything else. Never taken for an empty object.
    Unreadable {
        /// What is wrong, in words for the model.
        problem: String,
    },
}

/// A call that was offered, parsed and validated. Only the turn plans one.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCall {
    tool: OfferedTool,
    arguments: Map<String, Value>,
}

impl PlannedCall {
    /// To be made by the turn alone, after every check.
    pub(crate) fn new(tool: OfferedTool, arguments: Map<String, Value>) -> Self {
        Self { tool, arguments }
    }

    /// The tool.
    pub fn tool(&self) -> &OfferedTool {
        &self.tool
    }

    /// The arguments.
    pub fn arguments(&self) -> &Map<String, Value> {
        &self.arguments
    }
}

/// How a planned call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum CallEnd {
    /// The executor ran it. The receipt says how it ended, the text is the handler's.
    Ran {
        /// The record.
        receipt: Arc<Receipt>,
        /// The handler's text, whole.
        text: String,
    },
    /// It did not run.
    NotRun(NotRun),
}

/// Why a planned call did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRun {
    /// For the model and the record, in English.
    pub why: String,
    /// The same for the person, in their language.
    pub text: String,
    /// The person was asked and did not agree. They are not asked again in this turn.
    pub is_declined: bool,
}

impl NotRun {
    /// The text of `say`, in English for the model and in the person's own language for them.
    pub fn said(language: Language, say: impl Fn(Language) -> String) -> Self {
        Self { why: say(Language::ENGLISH), text: say(language), is_declined: false }
    }

    /// The same where the person was asked and did not agree.
    pub fn declined(language: Language, say: impl Fn(Language) -> String) -> Self {
        Self { is_declined: true, ..Self::said(language, say) }
    }
}

/// Where a chat turn is shown while it runs, and where its person is asked: a channel of Discord, or the console.
#[async_trait::async_trait]
pub trait Surface: Send + Sync {
    /// Called when a command is about to run for the model: `/status`.
    async fn running(&self, command: &str);
    /// Called when a turn begins and before each request to the model: until it writes, nothing of it is visible. Must
    /// return at once.
    fn thinking(&self) {}
    /// Called as the model writes, with the whole text so far, and with an empty text when it stops writing: the final
    /// text comes through [`Self::ran`] or as the answer. Must return at once: the surface decides when to show it.
    fn writing(&self, text: &str);
    /// Shows the answer of a command that the model ran, as the command itself shows it. Returns how much was shown.
    async fn ran(&self, answer: &Answer) -> Shown;
    /// Where what stands around a message is looked up, if there is something around it.
    fn context(&self) -> Option<&dyn ContextSource> {
        None
    }
    /// What the person is in the guild now: their event says it of its own moment. `None` if it cannot be known, or if
    /// they left. Where nobody has roles, what is known stays.
    async fn member_now(&self, caller: &Caller) -> Option<Member> {
        caller.member.clone()
    }
    /// Whether the person is still where they asked. Where nobody can leave, or it cannot be known, they are.
    async fn is_here(&self, _caller: &Caller) -> bool {
        true
    }
    /// Asks whether a command that changes something may run.
    async fn confirm(&self, question: &Question) -> Confirmation;
}

/// How much of a command's answer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// All of it, or a line in its place with a button.
    Whole,
    /// Its beginning.
    Part,
    /// Nothing: it could not be shown.
    Nothing,
}

/// A surface that shows nothing and asks nobody.
pub struct Unattended;

#[async_trait::async_trait]
impl Surface for Unattended {
    async fn running(&self, _: &str) {}

    fn writing(&self, _: &str) {}

    async fn ran(&self, _: &Answer) -> Shown {
        Shown::Nothing
    }

    async fn confirm(&self, _: &Question) -> Confirmation {
        Confirmation::Unanswered
    }
}

/// The question to a person before a command that changes something runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Whose turn it is: only this person may answer.
    pub asked: UserId,
    /// The command as a person would write it: `/files write path: a.txt content: …`. Long values are cut, with a note.
    /// Its arguments are untrusted.
    pub command: String,
    /// The same with nothing cut, where something is: whoever confirms it must be able to see all that would run.
    pub whole: Option<String>,
    /// The model's reason for the call, where it gave one. Untrusted.
    pub reason: Option<String>,
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// Yes, by this person, with the roles and permissions of this moment.
    Confirmed(Box<Caller>),
    /// No.
    Declined,
    /// No answer in time, or nobody to ask.
    Unanswered,
    /// The bot leaves, so nobody can answer any more.
    Leaving,
}
