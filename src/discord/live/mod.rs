//! Live answers (`/status live: true`): kept up to date by editing.
//!
//! The response to an interaction is edited until the interaction's token expires, 15 minutes after it came. In a
//! channel that the settings list, the bot edits a message of its own instead, until a person ends it, also across
//! restarts. Each refresh runs the same command for the same caller and has its own receipt.

mod begin;
mod follow;
mod persistence;
mod sessions;
mod status;
mod target;

pub(crate) use status::LiveStatus;
