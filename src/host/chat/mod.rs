//! Chat: drives a turn. Asks the model, runs the calls that the turn planned, and labels the result.
//!
//! Every decision is made by [`Turn`](candor_core::agent::Turn); this module carries out its effects: requests,
//! commands under the caller's own authority, a person's confirmation, and the record.

mod answer;
mod calls;
mod clean;
mod fix;
mod talk;

pub use answer::Chat;
pub use clean::Cleaned;
pub use talk::Talker;
