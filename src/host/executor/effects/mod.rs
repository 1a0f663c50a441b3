//! The effects of a run: records, later calls and messages are staged, and whatever no commit can take back is announced.

mod services;
mod staged;
mod staged_calls;
mod staged_messages;
mod staged_records;

pub(super) use services::{Added, RunServices};
