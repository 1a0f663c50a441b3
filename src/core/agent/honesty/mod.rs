//! Searches the text of a model's reply for made-up tool results, names of commands that do not exist, receipts of
//! other turns, and commands that the person may have meant.
//!
//! Whether a reply is true is not judged. The host shows what ran. Of a command that the text refers to and that did
//! not run, it says that it did not run.

mod command_names;
mod made_up;
mod phrase;
mod receipt_names;
mod touched;

pub use command_names::unknown_parts;
pub use made_up::{MadeUpResult, made_up_results};
pub use receipt_names::unknown_receipts;
pub use touched::{asks_for, claims_run_of, says_done};
