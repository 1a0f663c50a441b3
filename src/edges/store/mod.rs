//! What the bot stores: receipts, conversations, the modules' records, and the state of the commands at Discord.
//!
//! Each storage trait is defined where it is used; [`Store`] is all of them together. SQLite is the engine.

mod engine;
mod sqlite;

pub use engine::Store;
pub use sqlite::{OpenError, Sqlite};
