//! An item of the chain, a receipt or a checkpoint, and the check that it fits its place.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::sql::Row;
use crate::tables::commands::receipts::{arguments_digest, digest, entry};
use candor_core::contract::ServiceError;
use candor_core::record::{Digest, LedgerEntry, ReceiptId};
use candor_engine::SigningKey;

/// Name of the store's key that signs checkpoints.
pub(super) const KEY: &str = "checkpoints";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainBreak {
    /// This receipt was changed, or the item before it was.
    Receipt(ReceiptId),
    /// This program did not make the checkpoint at this position, or it does not fit its place.
    Checkpoint(i64),
}

impl std::fmt::Display for ChainBreak {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Receipt(id) => write!(f, "receipt {id} was changed, or one before it is missing, added or moved"),
            Self::Checkpoint(position) => write!(
                f,
                "the checkpoint at position {position} is forged, or the receipts before it are not those it stands behind"
            ),
        }
    }
}

pub(super) enum Item {
    Receipt(Box<Chained>),
    Gap(Checkpoint),
}

/// A receipt with its tie to the chain. A part that cannot be read was not written by this program.
pub(super) struct Chained {
    position: i64,
    id: ReceiptId,
    link: Option<Digest>,
    arguments_salt: Option<Vec<u8>>,
    arguments_digest: Option<Vec<u8>>,
    entry: Option<LedgerEntry>,
}

pub(super) struct Checkpoint {
    pub(super) position: i64,
    pub(super) previous: Vec<u8>,
    pub(super) link: Vec<u8>,
    pub(super) n_receipts: i64,
    pub(super) removed_ms: i64,
    pub(super) code: Vec<u8>,
}

impl Item {
    pub(super) fn position(&self) -> i64 {
        match self {
            Self::Receipt(receipt) => receipt.position,
            Self::Gap(gap) => gap.position,
        }
    }

    /// Returns the stored link, if it is a valid digest.
    pub(super) fn link(&self) -> Option<Digest> {
        match self {
            Self::Receipt(receipt) => receipt.link,
            Self::Gap(gap) => digest(gap.link.clone()).ok(),
        }
    }

    pub(super) fn n_receipts(&self) -> i64 {
        match self {
            Self::Receipt(_) => 1,
            Self::Gap(gap) => gap.n_receipts,
        }
    }

    pub(super) fn broken(&self) -> ChainBreak {
        match self {
            Self::Receipt(receipt) => ChainBreak::Receipt(receipt.id),
            Self::Gap(gap) => ChainBreak::Checkpoint(gap.position),
        }
    }

    /// Returns the item's link if the item fits behind this link.
    pub(super) fn follows(&self, previous: Digest, key: Option<&SigningKey>) -> Option<Digest> {
        match self {
            Self::Receipt(receipt) => receipt.follows(previous),
            Self::Gap(gap) => gap.follows(previous, key?),
        }
    }
}

impl Chained {
    fn follows(&self, previous: Digest) -> Option<Digest> {
        let entry = self.entry.as_ref()?;
        let link = self.link?;
        let arguments = match (&self.arguments_digest, &self.arguments_salt, entry.has_arguments) {
            // The receipt is from before digests of arguments existed.
            (None, None, true) => None,
            (Some(kept), Some(salt), true) => Some(arguments_digest(salt, &entry.facts.arguments))
                .filter(|digest| digest.0[..] == kept[..])
                .map(Some)?,
            (Some(kept), None, false) => Some(digest(kept.clone()).ok()?),
            _ => return None,
        };
        Some(link).filter(|link| *link == entry.link(previous, arguments))
    }
}

impl Checkpoint {
    fn follows(&self, previous: Digest, key: &SigningKey) -> Option<Digest> {
        let is_ours = self.mac(key).verify_slice(&self.code).is_ok() && self.previous == previous.0;
        digest(self.link.clone()).ok().filter(|_| is_ours)
    }

    pub(super) fn mac(&self, key: &SigningKey) -> Hmac<Sha256> {
        let parts: [&[u8]; 6] = [
            b"candor checkpoint 1",
            &self.position.to_be_bytes(),
            &self.previous,
            &self.link,
            &self.n_receipts.to_be_bytes(),
            &self.removed_ms.to_be_bytes(),
        ];
        // HMAC itself pads a shorter key with zeros to a block of its hash.
        let mut block = [0; 64];
        block.iter_mut().zip(key.bytes()).for_each(|(byte, kept)| *byte = *kept);
        Hmac::new((&block).into()).chain_update(Digest::of(&parts).0)
    }
}

/// Reads a receipt from a row that holds the number twice: the first one names the receipt if the rest cannot be read.
pub(super) fn receipt(mut row: Row) -> Result<Item, ServiceError> {
    let position = row.take()?;
    let link = digest(row.take()?).ok();
    let arguments_salt = row.take()?;
    let arguments_digest = row.take()?;
    let id = ReceiptId::from_number(row.take()?);
    let entry = entry(row).ok();
    Ok(Item::Receipt(Box::new(Chained { position, id, link, arguments_salt, arguments_digest, entry })))
}

pub(super) fn checkpoint(mut row: Row) -> Result<Item, ServiceError> {
    let position = row.take()?;
    let previous = row.take()?;
    let link = row.take()?;
    let n_receipts = row.take()?;
    let removed_ms = row.take()?;
    let code = row.take()?;
    Ok(Item::Gap(Checkpoint { position, previous, link, n_receipts, removed_ms, code }))
}
