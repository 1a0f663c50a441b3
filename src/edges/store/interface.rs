//! The interface of the store: all storage traits as one.

use async_trait::async_trait;

use crate::edges::store::database::Database;
use crate::host::executor::{CooldownStore, Ledger};
use crate::host::sampler::Samples;
use crate::host::{
    DueStore, Leases, LiveMessages, OpenReplies, PendingLogins, PersonalStore, Retention, Secrets, StoreProbe,
    StoreTime,
};
use candor_core::agent::{Conversations, Spending, Turns};
use candor_core::contract::{ReceiptBook, Records};
use candor_core::registration::SyncMemory;

/// Every storage trait as one: what the app holds, whatever the engine.
#[async_trait]
pub trait Store:
    // Of the host.
    Ledger
    + CooldownStore
    + Secrets
    + Samples
    + LiveMessages
    + DueStore
    + OpenReplies
    + PendingLogins
    + Leases
    + Retention
    + PersonalStore
    + StoreTime
    + StoreProbe
    // Of the core.
    + ReceiptBook + Records + Conversations + Turns + Spending + SyncMemory
{
    /// Writes everything to the disk and closes the file. Nothing may be asked of it afterwards.
    async fn close(&self);
}

#[async_trait]
impl Store for Database {
    async fn close(&self) {
        Self::close(self).await;
    }
}
