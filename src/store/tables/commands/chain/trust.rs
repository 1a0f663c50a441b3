//! The keys whose signatures count in a store.

use std::collections::BTreeSet;

use crate::database::Database;
use crate::receipt_keys::endorsements;
use candor_core::contract::ServiceError;
use candor_core::record::{PublicKey, trusted_keys};
use candor_engine::{KEY_LENGTH, SigningKey};

/// Name of the store's own HMAC key, which older versions used for checkpoints.
pub(super) const KEY: &str = "checkpoints";

pub(super) struct Trust {
    /// The store's own HMAC key, which older versions used for checkpoints.
    mac: Option<SigningKey>,
    is_signed: bool,
    keys: BTreeSet<PublicKey>,
}

impl Trust {
    /// Whether the chain is signed. Then no checkpoint counts without a signature.
    pub(super) fn is_signed(&self) -> bool {
        self.is_signed
    }

    pub(super) fn holds(&self, key: PublicKey) -> bool {
        self.keys.contains(&key)
    }

    pub(super) fn mac(&self) -> Option<&SigningKey> {
        self.mac.as_ref()
    }
}

impl Database {
    /// Returns the trusted keys: the given one, or else the store's newest, and all keys that it endorses.
    pub(super) async fn trust(&self, trusted: Option<PublicKey>) -> Result<Trust, ServiceError> {
        let known = self.receipt_keys().await?;
        let is_signed = trusted.is_some() || !known.is_empty();
        let trusted = trusted.or(known.last().map(|last| last.key));
        let keys = trusted.map_or_else(BTreeSet::new, |trusted| trusted_keys(trusted, &endorsements(&known)));
        // Does not create the key: a reader needs it only for old checkpoints.
        let mac = self.row("SELECT value FROM secrets WHERE name = $1", vec![KEY.into()]).await?;
        let mac: Option<Vec<u8>> = mac.map(|mut row| row.take()).transpose()?;
        let mac = mac.and_then(|bytes| <[u8; KEY_LENGTH]>::try_from(bytes).ok()).map(SigningKey::new);
        Ok(Trust { mac, is_signed, keys })
    }
}
