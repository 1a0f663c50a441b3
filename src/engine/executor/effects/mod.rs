//! The effects of a run. Records, later calls and messages are staged; changes that no commit can undo are announced.

mod services;
mod stage;
mod staged_calls;
mod staged_messages;
mod staged_records;

pub(super) use services::{Added, RunServices};
