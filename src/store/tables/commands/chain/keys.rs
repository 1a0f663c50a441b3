//! The public keys that sign the chain, and their endorsements of one another.

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::json;

use crate::database::Database;
use crate::receipt_keys::{KnownKey, RECEIPT_KEYS, known};
use crate::sql::Connection;
use candor_core::contract::ServiceError;
use candor_core::execution::OperatorCommand;
use candor_core::record::{Digest, Endorsement, PublicKey, ReceiptKey, Signature, milliseconds};

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
        let last = self.receipt_key().await?;
        self.register(new_key(new, Some(old), last), last.map(|_| old.public())).await
    }

    /// Replaces a lost key, which cannot endorse the new one. The new key endorses the last key only if it is `known`: a
    /// key that evidence outside of the store shows to be this bot's. The store alone is no evidence, because another
    /// program may have added the key.
    pub async fn replace_lost_key(&self, new: &ReceiptKey, known: Option<PublicKey>) -> Result<(), SigningError> {
        let last = self.receipt_key().await?;
        self.register(new_key(new, None, last.filter(|last| Some(*last) == known)), last).await
    }

    /// Replaces a key that leaked. The new key does not endorse it: it signs all receipts and checkpoints again, and the
    /// withdrawal. The caller has verified the chain.
    pub async fn withdraw_key(&self, leaked: PublicKey, new: Arc<ReceiptKey>) -> Result<(), SigningError> {
        let following = vec![new_key(&new, None, None)];
        self.sign_again(leaked, following, new).await
    }

    /// Makes this key the last one of an older store. Takes over the keys that followed in a newer one, with their
    /// endorsements, or lets a former key endorse this one. If the newer store withdrew the last key, so does this one.
    pub(crate) async fn catch_up_keys(
        &self,
        key: &Arc<ReceiptKey>,
        former: &[ReceiptKey],
        newer: Option<&Self>,
    ) -> Result<(), SigningError> {
        let given = key.public();
        let last = match self.receipt_key().await? {
            Some(last) if last == given => return Ok(()),
            Some(last) => last,
            // It is from before the first key. So it has no id yet.
            None => return Ok(self.take_over_id(newer).await?),
        };
        if let Some(newer) = newer {
            let trust = newer.trust(Some(given)).await?;
            let keys = newer.receipt_keys().await?;
            let following: Vec<_> = keys.into_iter().skip_while(|one| one.key != last).skip(1).collect();
            match following.last().is_some_and(|one| one.key == given) {
                true if trust.has_withdrawn(last) => return self.sign_again(last, following, key.clone()).await,
                true if trust.holds(last) => return Ok(self.add_keys(following).await?),
                _ => {}
            }
        }
        match former.iter().find(|old| old.public() == last) {
            Some(old) => self.rotate_receipt_key(old, key).await,
            None => Err(SigningError::OtherKey { last, given }),
        }
    }

    async fn take_over_id(&self, newer: Option<&Self>) -> Result<(), ServiceError> {
        let Some(newer) = newer else { return Ok(()) };
        let id = newer.row("SELECT value FROM secrets WHERE name = $1", vec![STORE.into()]).await?;
        let Some(mut id) = id else { return Ok(()) };
        let id: Vec<u8> = id.take()?;
        let taken_over = "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        self.execute(taken_over, vec![STORE.into(), id[..].into()]).await.map(drop)
    }

    async fn add_keys(&self, keys: Vec<KnownKey>) -> Result<(), ServiceError> {
        self.write(move |connection| {
            Box::pin(async move {
                connection.lock("receipts").await?;
                for key in keys {
                    insert(connection, &key).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Records in the chain that its key was replaced by this one, the last, unless that is recorded already.
    pub async fn record_rotation(&self, to: PublicKey) -> Result<(), ServiceError> {
        let keys = self.receipt_keys().await?;
        let from = keys.iter().rev().map(|one| one.key).find(|key| *key != to);
        let rotation = json!({ "from": from, "to": to });
        let recorded = self.operator_arguments(OperatorCommand::RotateKey, 1).await?;
        let arguments = rotation.to_string();
        match recorded.first().is_some_and(|last| last.arguments == arguments) {
            true => Ok(()),
            false => self.record_operator_command(OperatorCommand::RotateKey, &rotation).await,
        }
    }

    /// Adds a key behind the one in use, which must be `last`.
    async fn register(&self, new: KnownKey, last: Option<PublicKey>) -> Result<(), SigningError> {
        let given = new.key;
        let registered = self.write(move |connection| {
            Box::pin(async move {
                connection.lock("receipts").await?;
                if last_key(connection).await? == last {
                    insert(connection, &new).await?;
                }
                last_key(connection).await
            })
        });
        match registered.await? {
            Some(last) if last == given => Ok(()),
            other => Err(SigningError::OtherKey { last: other.unwrap_or(given), given: last.unwrap_or(given) }),
        }
    }

    /// Returns the store's id, as its heads contain it. `None` if it was never signed.
    pub async fn store_id(&self) -> Result<Option<Digest>, ServiceError> {
        let id = self.row("SELECT value FROM secrets WHERE name = $1", vec![STORE.into()]).await?;
        let id: Option<Vec<u8>> = id.map(|mut row| row.take()).transpose()?;
        Ok(id.map(|bytes| Digest::of(&[b"candor store", &bytes])))
    }
}

/// Returns a key with its endorsement by the key before it, and of that one.
pub(super) fn new_key(new: &ReceiptKey, old: Option<&ReceiptKey>, endorsed: Option<PublicKey>) -> KnownKey {
    let at_ms = milliseconds(SystemTime::now());
    let by_previous = old.and_then(|old| Endorsement::of(new.public(), old, at_ms));
    let of_previous = endorsed.and_then(|endorsed| Endorsement::of(endorsed, new, at_ms));
    KnownKey {
        key: new.public(),
        at_ms,
        by_previous: by_previous.map(|one| one.signature),
        of_previous: of_previous.map(|one| one.signature),
    }
}

pub(super) async fn insert(connection: &mut dyn Connection, key: &KnownKey) -> Result<(), ServiceError> {
    let inserted = "INSERT INTO receipt_keys (key, at_ms, by_previous, of_previous) VALUES ($1, $2, $3, $4) \
                    ON CONFLICT (key) DO NOTHING";
    let bytes = |signature: Option<Signature>| signature.map(|signature| signature.0.to_vec());
    let values = [key.key.0[..].into(), key.at_ms.into(), bytes(key.by_previous).into(), bytes(key.of_previous).into()];
    connection.execute(inserted, &values).await.map(drop)
}

/// Returns the key in use, in a transaction that holds the lock of the receipts.
pub(super) async fn last_key(connection: &mut dyn Connection) -> Result<Option<PublicKey>, ServiceError> {
    let last = connection.rows(RECEIPT_KEYS, &[]).await?.pop();
    Ok(last.map(known).transpose()?.map(|last| last.key))
}
