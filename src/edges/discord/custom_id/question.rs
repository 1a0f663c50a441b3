//! The id of a question to a person, and the two answers that its buttons give.

/// Identifies a question by the message that led to it and a number. It may be guessable, because the user of a button
/// is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QuestionId {
    pub(crate) message: u64,
    pub(crate) number: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Confirm,
    Decline,
}
