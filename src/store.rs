//! What the bot remembers: receipts, conversations and the modules' records.
//!
//! Each of its traits lives with its user; [`Store`] is all of them together. SQLite is the engine.

mod sqlite;

pub use sqlite::{OpenError, Sqlite};

use async_trait::async_trait;

use crate::agent::{Conversations, Turns};
use crate::contract::{ReceiptBook, Records};
use crate::executor::Ledger;

/// Everything that keeps something: what the app holds, whatever the engine.
#[async_trait]
pub trait Store: Ledger + ReceiptBook + Records + Conversations + Turns {
    /// Writes everything down and lets go of the file. Nothing may be asked of it afterwards.
    async fn close(&self);
}

#[async_trait]
impl Store for Sqlite {
    async fn close(&self) {
        Self::close(self).await;
    }
}
