//! The kinds of personal data that the bot stores, and what it shows and erases of each.

use std::time::Duration;

/// A kind of stored personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PersonalKind {
    /// Receipts of the commands that they ran. Erasing removes the arguments; the receipts stay in their chain.
    Receipts,
    /// Answers stored for `/receipt`.
    Answers,
    /// Their runs in progress, and runs with an answer that they have not seen yet. Erasing removes the words.
    Runs,
    /// Cooldowns: when they may run a command again.
    Cooldowns,
    /// Their messages to the chat model, and its answers.
    Conversations,
    /// The chat models that they chose.
    Models,
    /// Records of their chat turns.
    Turns,
    /// Their chat usage per day. Erasing leaves the newest day, so that erasing does not renew a budget.
    Spending,
    /// Live messages that they started.
    LiveMessages,
    /// Later calls for them, such as reminders.
    DueCalls,
    /// Messages that modules sent to channels for them. Only pending ones contain their words.
    Messages,
    /// Records of modules about them, such as memories, and all records in places that are theirs alone.
    Records,
    /// Files in places that are theirs alone.
    Files,
}

impl PersonalKind {
    /// Every kind, in the order of display and erasure.
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

    /// Returns the stable name: the key in an export, and after `kept-` the message in the language files.
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

/// The stored data of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptOfPerson {
    /// Each kind, in the order of [`PersonalKind::ALL`].
    pub kinds: Vec<KeptKind>,
    /// All of it as one JSON object, with an array for each kind.
    pub json: String,
    /// False if the JSON omits data that did not fit.
    pub is_whole: bool,
}

/// The stored data of a person, of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptKind {
    /// The kind.
    pub kind: PersonalKind,
    /// The number of items.
    pub n: u64,
    /// The retention of each item. `None` means until it is removed or ends.
    pub kept_for: Option<Duration>,
}

/// The result of erasing a person's data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// The number of erased items of each kind that had any, in the order of [`PersonalKind::ALL`].
    pub counts: Vec<(PersonalKind, u64)>,
    /// The number of receipts that keep their arguments until they expire, because they are older than the support for
    /// removing arguments.
    pub n_with_arguments: u64,
}
