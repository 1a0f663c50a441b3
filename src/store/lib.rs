//! The store: receipts, conversations, the modules' records, and the state of the commands at Discord.
//!
//! Each storage trait is defined where it is used; [`Database`] implements all of them, in one of the engines. `tables`
//! holds the operations, once for every engine, in SQL that both engines read (`sql`).

mod backup;
mod database;
mod engine;
mod head_file;
#[cfg(feature = "postgres")]
mod postgres;
mod process_lock;
mod receipt_keys;
mod signing;
mod sql;
mod sqlite;
mod tables;

pub use backup::{BackupError, RestoreSigning, Restored, back_up, restore};
pub use database::{Database, HeadFileError};
pub use head_file::{newest_head, read_heads};
#[cfg(feature = "postgres")]
pub use postgres::{Address, ServerError};
pub use receipt_keys::KnownKey;
pub use sqlite::OpenError;
pub use tables::commands::chain::{
    Chain, ChainBreak, HeadFinding, ProofRange, ProveError, ReceiptFilter, ReceiptKind, SigningError, StoredReceipt,
};
