//! The public keys that sign the chain, as rows.

use crate::sql::Row;
use candor_core::contract::ServiceError;
use candor_core::record::{Bytes, Endorsement, PublicKey, Signature};

pub(crate) const RECEIPT_KEYS: &str = "SELECT key, at_ms, by_previous, of_previous FROM receipt_keys ORDER BY number";

/// A key that signed the chain, with the endorsements between it and the key before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownKey {
    pub key: PublicKey,
    pub at_ms: i64,
    /// The signature of the key before it over this one. `None` for the first key, and for one that followed a lost key.
    pub(crate) by_previous: Option<Signature>,
    /// The signature of this key over the one before it.
    pub(crate) of_previous: Option<Signature>,
}

impl KnownKey {
    /// Returns whether it took the place of a key that was lost. `previous` is the key before it.
    pub fn follows_a_lost_one(&self, previous: Option<&Self>) -> bool {
        previous.is_some() && self.by_previous.is_none()
    }
}

/// Returns the endorsements between consecutive keys.
pub(crate) fn endorsements(keys: &[KnownKey]) -> Vec<Endorsement> {
    let pairs = keys.iter().zip(keys.iter().skip(1));
    let of_pair = |(old, new): (&KnownKey, &KnownKey)| {
        let forward = |signature| Endorsement { key: new.key, by: old.key, at_ms: new.at_ms, signature };
        let back = |signature| Endorsement { key: old.key, by: new.key, at_ms: new.at_ms, signature };
        [new.by_previous.map(forward), new.of_previous.map(back)]
    };
    pairs.flat_map(of_pair).flatten().collect()
}

pub(crate) fn known(mut row: Row) -> Result<KnownKey, ServiceError> {
    let key: Vec<u8> = row.take()?;
    let at_ms = row.take()?;
    let by_previous = signature(row.take()?)?;
    let of_previous = signature(row.take()?)?;
    let key = key.try_into().map(Bytes).map_err(|_| unreadable())?;
    Ok(KnownKey { key, at_ms, by_previous, of_previous })
}

fn signature(bytes: Option<Vec<u8>>) -> Result<Option<Signature>, ServiceError> {
    bytes.map(|bytes| bytes.try_into().map(Bytes).map_err(|_| unreadable())).transpose()
}

fn unreadable() -> ServiceError {
    ServiceError::Store("a key of the ledger cannot be read: another program changed it".to_owned())
}
