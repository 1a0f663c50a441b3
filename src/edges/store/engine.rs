//! All storage traits as one.

use async_trait::async_trait;

use crate::edges::store::sqlite::Sqlite;
use crate::host::executor::{Cooldowns, Ledger};
use crate::host::sampler::Samples;
use crate::host::{LiveMessages, Secrets};
use candor_core::agent::{Conversations, Turns};
use candor_core::contract::{ReceiptBook, Records};
use candor_core::registration::SyncMemory;

/// All storage traits as one: what the app holds, whatever the engine.
#[async_trait]
pub trait Store:
    Ledger + Cooldowns + ReceiptBook + Records + Conversations + Turns + Secrets + SyncMemory + Samples + LiveMessages
{
    /// Writes everything to the disk and closes the file. Nothing may be asked of it afterwards.
    async fn close(&self);
}

#[async_trait]
impl Store for Sqlite {
    async fn close(&self) {
        Self::close(self).await;
    }
}
