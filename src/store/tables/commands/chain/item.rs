//! An item of the chain, a receipt or a checkpoint, and the check that it fits its place.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::sql::Row;
use crate::tables::commands::chain::trust::Trust;
use crate::tables::commands::receipts::{digest, entry};
use candor_core::contract::ServiceError;
use candor_core::record::{
    Bytes, Digest, LedgerEntry, ProvenReceipt, PublicKey, ReceiptId, Removal, Signature, arguments_digest,
};
use candor_engine::SigningKey;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainBreak {
    /// This receipt was changed, or the item before it was.
    Receipt(ReceiptId),
    /// This program did not make the checkpoint at this position, or it does not fit its place.
    Checkpoint(i64),
    /// The signed head at this position does not fit the receipts up to it, or no trusted key signed it.
    Head(u64),
}

impl std::fmt::Display for ChainBreak {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Receipt(id) => write!(f, "receipt {id} was changed, or one before it is missing, added or moved"),
            Self::Checkpoint(position) => {
                write!(f, "the checkpoint at position {position} is forged, or it does not fit the receipts before it")
            }
            Self::Head(position) => write!(
                f,
                "the head at position {position} is not signed by a key of this bot, or does not fit the receipts up to it"
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

impl Chained {
    pub(super) fn position(&self) -> u64 {
        self.position.unsigned_abs()
    }

    pub(super) fn id(&self) -> ReceiptId {
        self.id
    }

    /// Returns what a proof holds of it. `previous` is the link before it.
    pub(super) fn proven(&self, previous: Digest) -> Option<ProvenReceipt> {
        let salt = self.arguments_salt.as_ref().map(|salt| <[u8; 16]>::try_from(&salt[..])).transpose().ok()?;
        let arguments = self.arguments_digest.clone().map(digest).transpose().ok()?;
        Some(ProvenReceipt::new(previous, self.entry.as_ref()?, salt, arguments))
    }
}

pub(super) struct Checkpoint {
    pub(super) position: i64,
    pub(super) previous: Vec<u8>,
    pub(super) link: Vec<u8>,
    pub(super) n_receipts: i64,
    pub(super) removed_ms: i64,
    pub(super) code: Vec<u8>,
    /// The key that signed it and its signature, in all but those of older versions.
    pub(super) signed: Option<(PublicKey, Signature)>,
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
    pub(super) fn follows(&self, previous: Digest, trust: &Trust) -> Option<Digest> {
        match self {
            Self::Receipt(receipt) => receipt.follows(previous),
            Self::Gap(gap) => gap.follows(previous, trust),
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
    fn follows(&self, previous: Digest, trust: &Trust) -> Option<Digest> {
        let removal = match trust.is_signed() {
            true => self.signed_removal(trust)?,
            // The store was never opened with a key.
            false => self.removal().filter(|_| trust.mac().is_some_and(|mac| self.has_code(mac)))?,
        };
        (removal.previous == previous).then_some(removal.link)
    }

    /// Returns the removal that this checkpoint records, if a trusted key signed it.
    pub(super) fn signed_removal(&self, trust: &Trust) -> Option<Removal> {
        let (key, signature) = self.signed?;
        self.removal().filter(|removal| trust.holds(key) && removal.is_signed(trust.store(), key, &signature))
    }

    pub(super) fn removal(&self) -> Option<Removal> {
        let previous = digest(self.previous.clone()).ok()?;
        let link = digest(self.link.clone()).ok()?;
        let Self { position, n_receipts, removed_ms, .. } = *self;
        Some(Removal { position, previous, link, n_receipts, removed_ms })
    }

    pub(super) fn has_code(&self, key: &SigningKey) -> bool {
        self.mac(key).verify_slice(&self.code).is_ok()
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

/// Builds a statement over checkpoints, with the columns that [`checkpoint`] reads.
macro_rules! of_checkpoints {
    ($behind:literal) => {
        concat!(
            "SELECT position, previous, link, n_receipts, removed_ms, code, key, signature FROM checkpoints ",
            $behind
        )
    };
}
pub(super) use of_checkpoints;

pub(super) fn checkpoint(mut row: Row) -> Result<Checkpoint, ServiceError> {
    let position = row.take()?;
    let previous = row.take()?;
    let link = row.take()?;
    let n_receipts = row.take()?;
    let removed_ms = row.take()?;
    let code = row.take()?;
    let key: Option<Vec<u8>> = row.take()?;
    let signature: Option<Vec<u8>> = row.take()?;
    let key = key.and_then(|key| key.try_into().ok()).map(Bytes);
    let signed = key.zip(signature.and_then(|signature| signature.try_into().ok()).map(Bytes));
    Ok(Checkpoint { position, previous, link, n_receipts, removed_ms, code, signed })
}
