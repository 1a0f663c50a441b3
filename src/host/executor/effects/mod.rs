//! The effects of a run: records are staged, and whatever no commit can take back is announced.

mod services;
mod staged;

pub(super) use services::RunServices;
