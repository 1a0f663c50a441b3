//! What the bot remembers: receipts, conversations, the modules' records, and what stands at Discord.
//!
//! Each of its traits lives with its user; [`Store`] is all of them together. SQLite is the engine.

mod sqlite;

pub use sqlite::{OpenError, Sqlite};

use async_trait::async_trait;

use crate::agent::{Conversations, Turns};
use crate::contract::{ReceiptBook, Records};
use crate::dispatch::Secrets;
use crate::executor::{Cooldowns, Ledger};
use crate::live_message::LiveMessages;
use crate::reconcile::Registrations;
use crate::sampler::Samples;

/// Everything that keeps something: what the app holds, whatever the engine.
#[async_trait]
pub trait Store:
    Ledger + Cooldowns + ReceiptBook + Records + Conversations + Turns + Secrets + Registrations + Samples + LiveMessages
{
    /// Writes everything down and lets go of the file. Nothing may be asked of it afterwards.
    async fn close(&self);
}

#[async_trait]
impl Store for Sqlite {
    async fn close(&self) {
        Self::close(self).await;
    }
}
