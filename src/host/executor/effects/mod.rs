//! The effects of a run: records and later calls are staged, and whatever no commit can take back is announced.

mod services;
mod staged;
mod staged_calls;
mod staged_records;

pub(super) use services::RunServices;
