//! The keys whose signatures count in a store.

use std::collections::BTreeSet;

use crate::database::Database;
use crate::receipt_keys::endorsements;
use candor_core::contract::ServiceError;
use candor_core::execution::OperatorCommand;
use candor_core::record::{Digest, PublicKey, Withdrawal, trusted_keys};
use candor_engine::{KEY_LENGTH, SigningKey};

/// Name of the store's own HMAC key, which older versions used for checkpoints.
pub(super) const KEY: &str = "checkpoints";

/// How many withdrawals are looked at, the newest first.
const WITHDRAWALS_MAX: usize = 100;

pub(super) struct Trust {
    /// The store's own HMAC key, which older versions used for checkpoints.
    mac: Option<SigningKey>,
    is_signed: bool,
    /// The store's id. It signs nothing without one.
    store: Digest,
    keys: BTreeSet<PublicKey>,
    /// Keys that leaked, and those that only they endorse. A trusted key signed their receipts again, up to `until`.
    withdrawn: BTreeSet<PublicKey>,
    until: u64,
}

impl Trust {
    /// Whether the chain is signed. Then no checkpoint counts without a signature.
    pub(super) fn is_signed(&self) -> bool {
        self.is_signed
    }

    pub(super) fn holds(&self, key: PublicKey) -> bool {
        self.keys.contains(&key)
    }

    pub(super) fn has_withdrawn(&self, key: PublicKey) -> bool {
        self.withdrawn.contains(&key)
    }

    /// Whether a statement of this key counts that a receipt at a position contains.
    pub(super) fn holds_at(&self, key: PublicKey, position: u64) -> bool {
        self.holds(key) || self.has_withdrawn(key) && position <= self.until
    }

    pub(super) fn store(&self) -> Digest {
        self.store
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
        let endorsements = endorsements(&known);
        let keys = trusted.map_or_else(BTreeSet::new, |trusted| trusted_keys(trusted, &endorsements));
        let store = self.store_id().await?.unwrap_or(Digest::START);
        let mut withdrawn = BTreeSet::new();
        let mut until = 0;
        // The newest first: an earlier one may be of a key that was withdrawn since.
        for recorded in self.operator_arguments(OperatorCommand::WithdrawKey, WITHDRAWALS_MAX).await? {
            let Ok(withdrawal) = serde_json::from_str::<Withdrawal>(&recorded.arguments) else { continue };
            let is_trusted = keys.contains(&withdrawal.key);
            if withdrawal.is_signed(store) && (is_trusted || withdrawn.contains(&withdrawal.key)) {
                withdrawn.extend(trusted_keys(withdrawal.leaked, &endorsements));
                until = until.max(if is_trusted { withdrawal.position } else { 0 });
            }
        }
        let withdrawn = &withdrawn - &keys;
        // Does not create the key: a reader needs it only for old checkpoints.
        let mac = self.row("SELECT value FROM secrets WHERE name = $1", vec![KEY.into()]).await?;
        let mac: Option<Vec<u8>> = mac.map(|mut row| row.take()).transpose()?;
        let mac = mac.and_then(|bytes| <[u8; KEY_LENGTH]>::try_from(bytes).ok()).map(SigningKey::new);
        Ok(Trust { mac, is_signed, store, keys, withdrawn, until })
    }

    /// Returns the keys that leaked and were withdrawn, as far as the trusted keys say.
    pub async fn withdrawn_keys(&self, trusted: Option<PublicKey>) -> Result<BTreeSet<PublicKey>, ServiceError> {
        Ok(self.trust(trusted).await?.withdrawn)
    }
}
