//! Reviews a finished reply: removes calls and made-up results, adds the host's notes.
//!
//! The review does not judge whether words are true: the mark under the reply states the commands that ran. It removes
//! calls and results of this bot's tools that did not run, and offers them as buttons.
//!
//! Each check is a file with one function. It adds its findings to the reply and sees the findings of earlier checks.
//! No check asks the model again.

mod calls;
mod checks;
mod facts;
mod receipt_names;
mod reply;
mod results;

#[cfg(test)]
pub(super) use calls::{calls_in, tool_text};
pub(super) use calls::{is_example, wants_a_reminder};
pub(super) use checks::review;
pub(super) use facts::Facts;
#[cfg(test)]
pub(super) use receipt_names::{told, unknown_receipts};
pub(super) use reply::ReviewedReply;
