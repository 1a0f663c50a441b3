//! What the bot remembers: receipts, conversations and the modules' records.
//!
//! Each of its traits lives with its user; [`Store`] is all of them together. SQLite is the engine.

mod sqlite;

pub use sqlite::{OpenError, Sqlite};

use crate::agent::Conversations;
use crate::contract::{ReceiptBook, Records};
use crate::executor::Ledger;

/// Everything that keeps something.
pub trait Store: Ledger + ReceiptBook + Records + Conversations {}

impl<T: Ledger + ReceiptBook + Records + Conversations> Store for T {}
