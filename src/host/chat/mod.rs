//! Chat: drives a turn. Asks the model, runs the calls that the turn planned, and labels what comes of it.
//!
//! Every decision is the turn's ([`candor_core::agent::Turn`]); here is only what it asks for: requests, commands under the
//! caller's own authority, a person's Confirm, and the record.

mod answer;
mod calls;
mod clean;
mod fix;
mod talk;

pub use answer::Chat;
pub use clean::Cleaned;
pub use talk::Talker;
