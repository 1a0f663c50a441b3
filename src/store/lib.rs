//! The store: receipts, conversations, the modules' records, and the state of the commands at Discord.
//!
//! Each storage trait is defined where it is used; [`Database`] implements all of them, in one of the engines. `tables`
//! holds the operations, once for every engine, in SQL that both engines read (`sql`).

mod backup;
mod database;
mod engine;
#[cfg(feature = "postgres")]
mod postgres;
mod process_lock;
mod sql;
mod sqlite;
mod tables;

pub use backup::{BackupError, back_up, restore};
pub use database::Database;
#[cfg(feature = "postgres")]
pub use postgres::{Address, ServerError};
pub use sqlite::OpenError;
pub use tables::commands::chain::{Chain, ChainBreak, ReceiptFilter, ReceiptKind, StoredReceipt};
