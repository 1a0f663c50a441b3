//! Chat: drives a turn. Asks the model, runs the calls that the turn planned, and labels the result.
//!
//! Every decision is made by [`Turn`](candor_core::agent::Turn); this module carries out its effects: requests,
//! commands under the caller's own authority, a person's confirmation, and the record. A conversation has one turn at a
//! time: what arrives meanwhile waits in its `queue`.

mod answer;
mod calls;
mod followed;
mod modes;
mod offered;
mod queue;
mod said;
mod shares;
mod stop_and_go_on;
mod talk;
#[cfg(test)]
mod tests;

pub use answer::Chat;
pub use modes::ToolModes;
pub use offered::Taken;
pub use queue::Held;
pub use talk::Talker;
