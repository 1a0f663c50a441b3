//! The chat turn as a state machine: inputs in, effects out, no side effects.
//!
//! [`Turn::step`] takes an input and returns the next effect: ask the model, run calls, or finish. Every limit is a
//! field, so a turn ends for any answers of the model. The transitions:
//!
//! ```text
//! start ─> Ask ─> Answered ─┬─ calls, all good ────────> Run ─> Ended ─> Ask
//!                           ├─ a bad call ───────────> (correction) ─> Ask
//!                           ├─ prose with a call in it, or a bad block, the first time ──> (reminder) ─> Ask
//!                           └─ prose ──────────────────> Finish
//! no room for the conversation ──> (its oldest exchanges are left out, results shortened) ──> Ask
//! any failure, spent bound ────────────────────────────> Finish, with the runs so far
//! stop, in place of any effect ────────────────────────> finished, with the text and runs so far
//! ```

mod ending;
mod finish;
mod interface;
mod machine;
mod plan;
mod review;
mod room;
#[cfg(test)]
mod tests;
mod words;

pub use ending::{Ending, TurnFailure};
pub use interface::{Effect, Finished, Input, TurnSetup};
pub use machine::Turn;
