//! What the bot remembers: receipts, conversations, the modules' records, and what stands at Discord.
//!
//! Each of its traits lives with its user; [`Store`] is all of them together. SQLite is the engine.

mod engine;
mod sqlite;

pub use engine::Store;
pub use sqlite::{OpenError, Sqlite};
