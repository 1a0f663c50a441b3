//! Tool calls: as the model wrote them, as planned, and as ended.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::agent::surroundings::ContextSource;
use crate::agent::tools::offer::OfferedTool;
use crate::agent::tools::tool_text::TextCall;
use crate::inbound::{Caller, EventId, Member, UserId};
use crate::language::Language;
use crate::record::Receipt;
use crate::reply::Answer;
use crate::text::names;

/// A model's complete answer to one request. All of it is untrusted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completion {
    /// Empty if it only called tools.
    pub text: String,
    /// The native tool calls, in order. Calls written as text are part of the text.
    pub calls: Vec<RawCall>,
    /// Why the text ends early, if it does. Then there are no calls.
    pub cut: Option<Cut>,
}

names! {
    /// The reason why a model's answer ends early. The text up to there is kept.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Cut {
        /// The model's length limit was reached.
        Length = "length",
        /// The text is longer than the bot shows.
        Longest = "longest",
        /// Its time ran out, or the model paused for too long.
        Time = "time",
        /// The connection was lost, or the provider stopped sending.
        Lost = "lost",
        /// The answer broke off before a tool call, or its calls were not offered or too many. None of them runs.
        Call = "call",
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct RawCall {
    /// The provider's id. Some providers omit or repeat it.
    pub id: Option<String>,
    pub name: String,
    pub arguments: RawArguments,
}

impl From<TextCall> for RawCall {
    fn from(call: TextCall) -> Self {
        Self { id: None, name: call.name, arguments: RawArguments::Object(call.arguments) }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum RawArguments {
    /// A JSON object, or nothing, which counts as an empty object.
    Object(Map<String, Value>),
    /// Anything else. Never taken for an empty object.
    Unreadable {
        /// The problem, in words for the model.
        problem: String,
    },
}

/// A call that was offered, parsed and validated. Only the turn makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCall {
    tool: OfferedTool,
    arguments: Map<String, Value>,
}

impl PlannedCall {
    /// For the turn only, after every check.
    pub(crate) fn new(tool: OfferedTool, arguments: Map<String, Value>) -> Self {
        Self { tool, arguments }
    }

    pub fn tool(&self) -> &OfferedTool {
        &self.tool
    }

    pub fn arguments(&self) -> &Map<String, Value> {
        &self.arguments
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum CallEnd {
    /// The executor ran it. The receipt states the outcome; the text is the handler's.
    Ran {
        receipt: Arc<Receipt>,
        /// The handler's whole text.
        text: String,
    },
    NotRun(NotRun),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRun {
    /// In English, for the model and the record.
    pub why: String,
    /// In the person's language, for the person.
    pub text: String,
    /// The person was asked and did not agree. They are not asked again in this turn.
    pub is_declined: bool,
}

impl NotRun {
    /// Evaluates `say` in English for the model, and in the person's language for them.
    pub fn said(language: Language, say: impl Fn(Language) -> String) -> Self {
        Self { why: say(Language::ENGLISH), text: say(language), is_declined: false }
    }

    /// The same for a person who was asked and did not agree.
    pub fn declined(language: Language, say: impl Fn(Language) -> String) -> Self {
        Self { is_declined: true, ..Self::said(language, say) }
    }
}

/// The place where a running chat turn is shown and its person is asked: a Discord channel or the console.
#[async_trait::async_trait]
pub trait Surface: Send + Sync {
    /// Called before a command runs for the model: `/status`.
    async fn running(&self, command: &str);
    /// Called when a turn begins and before each request to the model. Nothing is visible until the model writes. Must
    /// return at once.
    fn thinking(&self) {}
    /// Called while the model writes, with the whole text so far, and with an empty text when it stops. The final text
    /// comes through [`Self::ran`] or as the answer. Must return at once: the surface decides when to show it.
    fn writing(&self, text: &str);
    /// Shows the answer of a command that the model ran, in the command's own form. Returns how much was shown.
    async fn ran(&self, answer: &Answer) -> Shown;
    /// Returns the lookup for the message's context, if there is any.
    fn context(&self) -> Option<&dyn ContextSource> {
        None
    }
    /// Returns the person's current membership in the guild; their event holds an older one. `None` if it is unknown or
    /// they left. Without roles the known membership is returned.
    async fn member_now(&self, caller: &Caller) -> Option<Member> {
        caller.member.clone()
    }
    /// Returns whether the person is still in the place. True if people cannot leave it, or if it is unknown.
    async fn is_here(&self, _caller: &Caller) -> bool {
        true
    }
    async fn confirm(&self, question: &Question) -> Confirmation;
}

/// The shown part of a command's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// All of it, or a line with a button instead.
    Whole,
    Part,
    /// It could not be shown.
    Nothing,
}

/// A surface that shows nothing and never asks.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The person of the turn. Only they may answer.
    pub asked: UserId,
    /// The command as a person would type it: `/files write path: a.txt content: …`. Long values are cut, with a note.
    /// Its arguments are untrusted.
    pub command: String,
    /// The uncut command, if it was cut: the person must be able to see everything that would run.
    pub whole: Option<String>,
    /// The model's reason for the call, if it gave one. Untrusted.
    pub reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// Confirmed by this person, with their current roles and permissions, by a press in this interaction.
    Confirmed {
        by: Box<Caller>,
        press: EventId,
    },
    Declined,
    /// There was no answer in time, or no person to ask.
    Unanswered,
    /// The bot is shutting down, so an answer cannot arrive any more.
    Leaving,
}
