//! Reviews a finished reply: removes calls and made-up results, adds the host's notes.
//!
//! Whether words are true is not judged: the host shows what ran. Taken out is only what looks like a call or a result
//! of this bot's own tools and is none. Added are lines that the turn makes certain: of a command that the request or
//! the reply refers to, that it did not run.
//!
//! Each check is a file with one function, which adds what it finds to the reply and sees what the checks before it
//! found. No check asks the model again.

mod asked;
mod calls;
mod checks;
mod claimed;
mod command_names;
mod figures;
mod lexicon;
mod receipt_names;
mod reply;
mod results;
mod touched;

pub(super) use reply::Reply;
#[cfg(test)]
pub(super) use {receipt_names::unknown_receipts, reply::words_of};
