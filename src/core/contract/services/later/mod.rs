//! What a run has done once it is over: calls of its module, and messages to channels. Both are stored with its receipt.

pub(super) mod send;
pub(super) mod send_channels;
pub(super) mod time;
