//! Work that happens after a run: later calls and messages to channels. Both are stored with the run's receipt.

pub(super) mod send;
pub(super) mod send_channels;
pub(super) mod time;
