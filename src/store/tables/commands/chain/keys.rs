//! The public keys that sign the chain, and their endorsements of one another.

use std::time::SystemTime;

use serde_json::json;

use crate::database::Database;
use crate::receipt_keys::{KnownKey, RECEIPT_KEYS, known};
use candor_core::contract::ServiceError;
use candor_core::execution::OperatorCommand;
use candor_core::record::{Digest, Endorsement, PublicKey, ReceiptKey, milliseconds};

/// Name of the random bytes that identify a store.
pub(super) const STORE: &str = "store";

#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    #[error(transparent)]
    Store(#[from] ServiceError),
    /// The chain was signed with another key last.
    #[error(
        "the receipts are signed with the key {}, and the key file holds {}: put the right file back, or run \
         `candor receipts rotate --lost`",
        .last.fingerprint(), .given.fingerprint()
    )]
    OtherKey { last: PublicKey, given: PublicKey },
}

impl Database {
    /// Returns the keys that signed this store's chain, the one in use last.
    pub async fn receipt_keys(&self) -> Result<Vec<KnownKey>, ServiceError> {
        self.rows(RECEIPT_KEYS, Vec::new()).await?.into_iter().map(known).collect()
    }

    /// Replaces the key that signs. The two keys endorse each other.
    pub async fn rotate_receipt_key(&self, old: &ReceiptKey, new: &ReceiptKey) -> Result<(), SigningError> {
        match self.receipt_keys().await?.last() {
            Some(last) if last.key != old.public() => {
                Err(SigningError::OtherKey { last: last.key, given: old.public() })
            }
            last => Ok(self.register(new, Some(old), last.map(|last| last.key)).await?),
        }
    }

    /// Replaces a lost key, which cannot endorse the new one. The new key endorses the last key only if it is `known`: a
    /// key that evidence outside of the store shows to be this bot's. The store alone is no evidence, because another
    /// program may have added the key.
    pub async fn replace_lost_key(&self, new: &ReceiptKey, known: Option<PublicKey>) -> Result<(), SigningError> {
        let last = self.receipt_keys().await?.last().map(|last| last.key);
        Ok(self.register(new, None, last.filter(|last| Some(*last) == known)).await?)
    }

    /// Records in the chain that its key was replaced.
    pub async fn record_rotation(&self, from: Option<PublicKey>, to: PublicKey) -> Result<(), ServiceError> {
        self.record_operator_command(OperatorCommand::RotateKey, &json!({ "from": from, "to": to })).await
    }

    pub(super) async fn register(
        &self,
        new: &ReceiptKey,
        old: Option<&ReceiptKey>,
        endorsed: Option<PublicKey>,
    ) -> Result<(), ServiceError> {
        let at_ms = milliseconds(SystemTime::now());
        let by_previous = old.and_then(|old| Endorsement::of(new.public(), old, at_ms));
        let of_previous = endorsed.and_then(|endorsed| Endorsement::of(endorsed, new, at_ms));
        let bytes = |one: Option<Endorsement>| one.map(|one| one.signature.0.to_vec());
        // Two processes that start at once have the same key.
        let registered = "INSERT INTO receipt_keys (key, at_ms, by_previous, of_previous) VALUES ($1, $2, $3, $4) \
                          ON CONFLICT (key) DO NOTHING";
        let values =
            vec![new.public().0[..].into(), at_ms.into(), bytes(by_previous).into(), bytes(of_previous).into()];
        self.execute(registered, values).await.map(drop)
    }

    /// Returns the store's id, as its heads contain it. `None` if it was never signed.
    pub async fn store_id(&self) -> Result<Option<Digest>, ServiceError> {
        let id = self.row("SELECT value FROM secrets WHERE name = $1", vec![STORE.into()]).await?;
        let id: Option<Vec<u8>> = id.map(|mut row| row.take()).transpose()?;
        Ok(id.map(|bytes| Digest::of(&[b"candor store", &bytes])))
    }
}
