//! Chat: drives a turn. Asks the model, runs the calls that the turn planned, and labels the result.
//!
//! Every decision is made by [`Turn`](candor_core::agent::Turn); this module carries out its effects: requests,
//! commands under the caller's own authority, a person's confirmation, and the record. A conversation has one turn at a
//! time: what arrives meanwhile waits in its `queue`, and in other processes on the same store for its `turn_lease`.

mod answer;
mod budget;
mod calls;
mod followed;
mod held;
mod modes;
mod offered;
mod queue;
mod said;
mod stop_and_go_on;
mod talk;
#[cfg(test)]
mod tests;
mod turn_lease;

pub use answer::Chat;
pub use budget::Budgets;
pub use held::Held;
pub use modes::ToolModes;
pub use offered::Taken;
pub use talk::Talker;
