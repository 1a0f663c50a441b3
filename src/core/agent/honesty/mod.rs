//! Finds, in a reply's words alone: results that only this bot's tools have, names of commands that do not exist,
//! receipts that are nobody's, and the commands that a person may have meant.
//!
//! Words are not policed. Nothing here says that a reply is wrong: the host shows what ran, and says of a command that
//! was touched and did not run that it did not run.

mod command_names;
mod made_up;
mod phrase;
mod receipt_names;
mod touched;

pub use command_names::unknown_parts;
pub use made_up::{MadeUpResult, made_up_results};
pub use receipt_names::unknown_receipts;
pub use touched::{asks_for, claims_run_of, says_done};
