//! The commands in force: checked, immutable, and the one table that dispatches.

pub(crate) mod catalog;
mod commands;
mod table;

pub use catalog::{Catalog, LazyNames, Names};
pub use commands::{ModuleFacts, Registry};
pub use table::{CommandRow, Reach, SyncOutcome, registration_table};
