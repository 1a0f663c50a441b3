//! The question that a button answers.

/// What tells a question from every other: the message that led to it, and its number. Who may answer is checked, so
/// it need not be hard to guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QuestionId {
    pub(crate) message: u64,
    pub(crate) number: u64,
}

/// What a person chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// It may run.
    Confirm,
    /// It may not.
    Decline,
}
