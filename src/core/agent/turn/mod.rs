//! The chat turn as a state machine: inputs in, effects out, no side effects.
//!
//! [`Turn::step`] takes what happened and returns what to do next: ask the model, run these calls, or finish. Every
//! limit is a field, so a turn ends whatever a model answers. The transitions:
//!
//! ```text
//! start ─> Ask ─> Answered ─┬─ calls, all good ────────> Run ─> Ended ─> Ask
//!                           ├─ a bad call ───────────> (correction) ─> Ask
//!                           ├─ prose with a call in it, or a bad block, the first time ──> (reminder) ─> Ask
//!                           └─ prose ──────────────────> Finish
//! no room for the conversation ──> (its oldest exchanges are left out, results shortened) ──> Ask
//! any failure, spent bound ────────────────────────────> Finish, with what did run
//! stop, in place of any effect ────────────────────────> finished, with what was written and did run
//! ```

mod ending;
mod finish;
mod ids;
mod interface;
mod machine;
mod plan;
mod private;
mod ran;
mod review;
mod room;
#[cfg(test)]
mod tests;
mod words;

pub use ending::{Ending, TurnFailure};
pub use interface::{Effect, Finished, Input, TurnSetup};
pub use machine::Turn;
