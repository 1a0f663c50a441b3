//! An answer as a person reads it, for the tests of modules.

use crate::contract::CommandError;
use crate::reply::Reply;

/// What the person reads; a refusal begins with an exclamation mark.
pub fn said(answer: Result<Reply, CommandError>) -> String {
    match answer {
        Ok(reply) => reply.plain(),
        Err(CommandError::Tell(text)) => format!("! {text}"),
        Err(CommandError::Internal(problem)) => panic!("{problem}"),
    }
}
