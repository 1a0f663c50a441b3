//! The public keys that sign the chain, and their endorsements of one another.

use std::time::SystemTime;

use serde_json::json;

use crate::database::Database;
use crate::sql::Row;
use crate::tables::commands::receipts::unreadable;
use candor_core::contract::ServiceError;
use candor_core::execution::OperatorCommand;
use candor_core::record::{Bytes, Digest, Endorsement, PublicKey, ReceiptKey, Signature, milliseconds};

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

/// A key that signed the chain, with the endorsements between it and the key before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownKey {
    pub key: PublicKey,
    pub at_ms: i64,
    /// The signature of the key before it over this one. `None` for the first key, and for one that followed a lost key.
    by_previous: Option<Signature>,
    /// The signature of this key over the one before it.
    of_previous: Option<Signature>,
}

impl KnownKey {
    /// Returns whether it took the place of a key that was lost. `previous` is the key before it.
    pub fn follows_a_lost_one(&self, previous: Option<&Self>) -> bool {
        previous.is_some() && self.by_previous.is_none()
    }
}

/// Returns the endorsements between consecutive keys.
pub(super) fn endorsements(keys: &[KnownKey]) -> Vec<Endorsement> {
    let pairs = keys.iter().zip(keys.iter().skip(1));
    let of_pair = |(old, new): (&KnownKey, &KnownKey)| {
        let forward = |signature| Endorsement { key: new.key, by: old.key, at_ms: new.at_ms, signature };
        let back = |signature| Endorsement { key: old.key, by: new.key, at_ms: new.at_ms, signature };
        [new.by_previous.map(forward), new.of_previous.map(back)]
    };
    pairs.flat_map(of_pair).flatten().collect()
}

impl Database {
    /// Returns the keys that signed this store's chain, the one in use last.
    pub async fn receipt_keys(&self) -> Result<Vec<KnownKey>, ServiceError> {
        let keys = "SELECT key, at_ms, by_previous, of_previous FROM receipt_keys ORDER BY number";
        self.rows(keys, Vec::new()).await?.into_iter().map(known).collect()
    }

    /// Replaces the key that signs. The two keys endorse each other. Without the old key, only the new one endorses.
    pub async fn rotate_receipt_key(&self, old: Option<&ReceiptKey>, new: &ReceiptKey) -> Result<(), SigningError> {
        let last = self.receipt_keys().await?.last().map(|last| last.key);
        match (old, last) {
            (Some(old), Some(last)) if old.public() != last => {
                Err(SigningError::OtherKey { last, given: old.public() })
            }
            _ => Ok(self.register(new, old, last.is_some()).await?),
        }
    }

    /// Records in the chain that its key was replaced.
    pub async fn record_rotation(&self, from: Option<PublicKey>, to: PublicKey) -> Result<(), ServiceError> {
        self.record_operator_command(OperatorCommand::RotateKey, &json!({ "from": from, "to": to })).await
    }

    pub(super) async fn register(
        &self,
        new: &ReceiptKey,
        old: Option<&ReceiptKey>,
        has_last: bool,
    ) -> Result<(), ServiceError> {
        let at_ms = milliseconds(SystemTime::now());
        let by_previous = old.and_then(|old| Endorsement::of(new.public(), old, at_ms));
        let last = if has_last { self.receipt_keys().await?.last().copied() } else { None };
        let of_previous = last.and_then(|last| Endorsement::of(last.key, new, at_ms));
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

fn known(mut row: Row) -> Result<KnownKey, ServiceError> {
    let key: Vec<u8> = row.take()?;
    let at_ms = row.take()?;
    let by_previous = signature(row.take()?)?;
    let of_previous = signature(row.take()?)?;
    let key = key.try_into().map(Bytes).map_err(|_| unreadable("key"))?;
    Ok(KnownKey { key, at_ms, by_previous, of_previous })
}

fn signature(bytes: Option<Vec<u8>>) -> Result<Option<Signature>, ServiceError> {
    bytes.map(|bytes| bytes.try_into().map(Bytes).map_err(|_| unreadable("signature of a key"))).transpose()
}
