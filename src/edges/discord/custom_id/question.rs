//! The id of a question to a person, and the two answers that its buttons give.

/// Identifies a question: the message that led to it, and its number. Who may answer is checked, so it need not be hard
/// to guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QuestionId {
    pub(crate) message: u64,
    pub(crate) number: u64,
}

/// A person's answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The command may run.
    Confirm,
    /// The command may not run.
    Decline,
}
