//! The service behind `/privacy`: shows and erases what is kept of one person.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::contract::services::error::ServiceError;
use crate::inbound::UserId;

/// A kind of what is kept of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PersonalKind {
    /// Receipts of the commands that they ran. Erasing takes the arguments out; the receipts stay in their chain.
    Receipts,
    /// Answers that are kept for `/receipt`.
    Answers,
    /// Their runs that are under way, or whose answer they have not seen yet. Erasing takes the words out.
    Runs,
    /// When they may run a command again.
    Cooldowns,
    /// What they said to the chat model, and its answers.
    Conversations,
    /// The chat models that they chose.
    Models,
    /// Records of their chat turns.
    Turns,
    /// What chat used for them on each day. Erasing leaves the newest day, so that it renews no budget.
    Spending,
    /// Live messages that they started.
    LiveMessages,
    /// Commands that are called for them at a later time, such as reminders.
    DueCalls,
    /// Messages that modules sent to channels for them: those that wait with their words, the others without.
    Messages,
    /// What modules keep of them, such as memories, and all that modules keep in places that are theirs alone.
    Records,
    /// Files in places that are theirs alone.
    Files,
}

impl PersonalKind {
    /// Every kind, in the order in which they are shown and erased.
    pub const ALL: [Self; 13] = [
        Self::Receipts,
        Self::Answers,
        Self::Runs,
        Self::Cooldowns,
        Self::Conversations,
        Self::Models,
        Self::Turns,
        Self::Spending,
        Self::LiveMessages,
        Self::DueCalls,
        Self::Messages,
        Self::Records,
        Self::Files,
    ];

    /// The stable name: the key in an export, and the message in the language files behind `kept-`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Receipts => "receipts",
            Self::Answers => "answers",
            Self::Runs => "runs",
            Self::Cooldowns => "cooldowns",
            Self::Conversations => "conversations",
            Self::Models => "models",
            Self::Turns => "turns",
            Self::Spending => "spending",
            Self::LiveMessages => "live_messages",
            Self::DueCalls => "due_calls",
            Self::Messages => "messages",
            Self::Records => "records",
            Self::Files => "files",
        }
    }
}

/// What is kept of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptOfPerson {
    /// Each kind, in the order of [`PersonalKind::ALL`].
    pub kinds: Vec<KeptKind>,
    /// All of it as one JSON object, with an array for each kind.
    pub json: String,
    /// False if the JSON leaves out what did not fit.
    pub is_whole: bool,
}

/// What is kept of a person, of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptKind {
    /// The kind.
    pub kind: PersonalKind,
    /// How many.
    pub n: u64,
    /// How long each is kept; `None`: until somebody removes it, or it ends.
    pub kept_for: Option<Duration>,
}

/// What was erased of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// How many of each kind of which there was something, in the order of [`PersonalKind::ALL`].
    pub counts: Vec<(PersonalKind, u64)>,
    /// How many receipts keep their arguments until they are removed: they are from before arguments could be taken
    /// out.
    pub n_with_arguments: u64,
}

/// Shows and erases what is kept of one person.
#[async_trait]
pub trait Privacy: Send + Sync {
    /// What is kept of this person. The JSON has at most about `json_max` bytes.
    async fn kept(&self, user: UserId, json_max: usize, now: SystemTime) -> Result<KeptOfPerson, ServiceError>;
    /// Erases what is kept of this person. What a failure leaves is erased the next time.
    async fn erase(&self, user: UserId) -> Result<Erased, ServiceError>;
}

/// What is kept of the caller.
pub struct OwnPrivacy<'a> {
    privacy: &'a dyn Privacy,
    user: UserId,
}

impl<'a> OwnPrivacy<'a> {
    pub(in crate::contract::services) fn new(privacy: &'a dyn Privacy, user: UserId) -> Self {
        Self { privacy, user }
    }

    /// See [`Privacy::kept`].
    pub async fn kept(&self, json_max: usize, now: SystemTime) -> Result<KeptOfPerson, ServiceError> {
        self.privacy.kept(self.user, json_max, now).await
    }

    /// See [`Privacy::erase`].
    pub async fn erase(&self) -> Result<Erased, ServiceError> {
        self.privacy.erase(self.user).await
    }
}
