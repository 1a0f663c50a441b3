//! Shows an answer as text, for module tests.

use crate::contract::CommandError;
use crate::record::milliseconds;
use crate::reply::Reply;

/// Returns the text for the caller. A refusal begins with an exclamation mark.
pub fn said(answer: Result<Reply, CommandError>) -> String {
    match answer {
        Ok(reply) => reply.plain(),
        Err(CommandError::Tell(text)) => format!("! {text}"),
        Err(CommandError::Internal(problem)) => panic!("{problem}"),
        Err(CommandError::NotYet(until)) => format!("not before {}", milliseconds(until) / 1_000),
    }
}
