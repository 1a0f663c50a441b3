//! The kinds of stored personal data, and the results of showing and erasing it.

use std::time::Duration;

use candor_core::text::names;

names! {
    /// A kind of stored personal data, in the order of display and erasure. Its name is the key in an export.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum PersonalKind {
        /// Receipts of the commands that they ran. Erasing removes the arguments; the receipts stay in their chain.
        Receipts = "receipts",
        /// Answers stored for `/receipt`.
        Answers = "answers",
        /// Their runs in progress, and runs with an answer that they have not seen yet. Erasing removes the words.
        Runs = "runs",
        /// Cooldowns: when they may run a command again.
        Cooldowns = "cooldowns",
        /// Their messages to the chat model, and its answers.
        Conversations = "conversations",
        /// The chat models that they chose.
        Models = "models",
        /// Records of their chat turns.
        Turns = "turns",
        /// Their chat usage per day. Erasing leaves the newest day, so that erasing does not renew a budget.
        Spending = "spending",
        /// Live messages that they started.
        LiveMessages = "live_messages",
        /// Later calls for them, such as reminders.
        DueCalls = "due_calls",
        /// Messages that modules sent to channels for them. Only pending ones contain their words.
        Messages = "messages",
        /// Records of modules about them, such as memories, and all records in places that are theirs alone.
        Records = "records",
        /// Files in places that are theirs alone.
        Files = "files",
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
    pub kind: PersonalKind,
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
