//! Signed heads of the chain of receipts.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::record::proof::bytes::Bytes;
use crate::record::proof::key::{PublicKey, ReceiptKey, Signature};
use crate::record::receipt::Digest;

/// The end of the chain after one commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Identifies the store, which a copy of it shares.
    pub store: Digest,
    /// The position of the last receipt. Receipts are numbered in the order of the chain.
    pub position: u64,
    /// When the host signed it, in milliseconds since 1970, by its own clock.
    pub at_ms: i64,
    /// [`SignedHead::digest`] of the head before it, or [`Digest::START`].
    pub previous: Digest,
    /// [`Head::group_of`] the links of the receipts since the head before it.
    pub group: Digest,
    /// The link of the last receipt, a hash over all receipts up to it.
    pub link: Digest,
}

/// A head with its signature. As one line of JSON, it is what the bot writes beside the store and publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedHead {
    pub head: Head,
    pub key: PublicKey,
    pub signature: Signature,
}

impl Head {
    /// Returns the digest of the links of a group of receipts.
    pub fn group_of(links: &[Digest]) -> Digest {
        let links: Vec<&[u8]> = links.iter().map(|link| &link.0[..]).collect();
        Digest::of(&links)
    }

    fn message(&self) -> Digest {
        Digest::of(&[
            b"candor head 1",
            &self.store.0,
            &self.position.to_be_bytes(),
            &self.at_ms.to_be_bytes(),
            &self.previous.0,
            &self.group.0,
            &self.link.0,
        ])
    }

    pub fn signed(self, key: &ReceiptKey) -> Option<SignedHead> {
        let signature = key.sign(self.message())?;
        Some(SignedHead { head: self, key: key.public(), signature })
    }
}

impl SignedHead {
    /// Returns the digest by which the next head names this one. It covers the signature, so that the signature of the
    /// next head stands for this one, too.
    pub fn digest(&self) -> Digest {
        Digest::of(&[&self.head.message().0, &self.key.0, &self.signature.0])
    }

    /// Returns whether the key that it names has signed it. Whether that key is trusted is another question.
    pub fn is_signed(&self) -> bool {
        self.key.has_signed(self.head.message(), &self.signature)
    }

    pub fn signed_at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.head.at_ms.max(0).unsigned_abs())
    }

    /// Returns it as one line of JSON.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a line of [`Self::to_line`].
    pub fn from_line(line: &str) -> Result<Self, String> {
        serde_json::from_str(line.trim()).map_err(|problem| problem.to_string())
    }
}

/// A statement by the holder of one key that another key is the same bot's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endorsement {
    pub key: PublicKey,
    pub by: PublicKey,
    pub at_ms: i64,
    pub signature: Signature,
}

impl Endorsement {
    pub fn of(key: PublicKey, by: &ReceiptKey, at_ms: i64) -> Option<Self> {
        let signature = by.sign(Self::message(key, by.public(), at_ms))?;
        Some(Self { key, by: by.public(), at_ms, signature })
    }

    pub fn is_signed(&self) -> bool {
        self.by.has_signed(Self::message(self.key, self.by, self.at_ms), &self.signature)
    }

    fn message(key: PublicKey, by: PublicKey, at_ms: i64) -> Digest {
        Digest::of(&[b"candor key 1", &key.0, &by.0, &at_ms.to_be_bytes()])
    }
}

/// Returns the keys for which a trusted key vouches, over any number of endorsements, and itself.
pub fn trusted_keys(trusted: PublicKey, endorsements: &[Endorsement]) -> BTreeSet<PublicKey> {
    let mut known = BTreeSet::from([trusted]);
    let next = |known: &BTreeSet<PublicKey>| {
        let is_next = |one: &&Endorsement| known.contains(&one.by) && !known.contains(&one.key) && one.is_signed();
        endorsements.iter().find(is_next).map(|one| one.key)
    };
    while let Some(key) = next(&known) {
        known.insert(key);
    }
    known
}

/// A statement that a store took the place of another one on purpose. The heads of the other one between two positions,
/// from before that moment, are not missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restore {
    /// The position of the last head of the store that was replaced.
    pub from_position: u64,
    pub from_link: Digest,
    /// The last position that both stores share.
    pub to_position: u64,
    pub at_ms: i64,
    pub key: PublicKey,
    pub signature: Signature,
}

impl Restore {
    /// Signs such a statement about this store.
    pub fn of(store: Digest, replaced: &Head, to_position: u64, at_ms: i64, key: &ReceiptKey) -> Option<Self> {
        let restore = Self {
            from_position: replaced.position,
            from_link: replaced.link,
            to_position,
            at_ms,
            key: key.public(),
            signature: Bytes([0; 64]),
        };
        restore.signed_again(store, key)
    }

    /// Signs the same statement with this key.
    pub fn signed_again(self, store: Digest, key: &ReceiptKey) -> Option<Self> {
        Some(Self { key: key.public(), signature: key.sign(self.message(store))?, ..self })
    }

    /// Returns whether the key that it names signed it for this store.
    pub fn is_signed(&self, store: Digest) -> bool {
        self.key.has_signed(self.message(store), &self.signature)
    }

    /// Returns whether this head is of the store that was replaced, and from before.
    pub fn explains(&self, head: &Head) -> bool {
        let is_between = self.to_position < head.position && head.position <= self.from_position;
        let is_last = head.position == self.from_position;
        is_between && head.at_ms <= self.at_ms && (!is_last || head.link == self.from_link)
    }

    fn message(&self, store: Digest) -> Digest {
        Digest::of(&[
            b"candor restore 1",
            &store.0,
            &self.from_position.to_be_bytes(),
            &self.from_link.0,
            &self.to_position.to_be_bytes(),
            &self.at_ms.to_be_bytes(),
        ])
    }
}

/// A statement by the holder of a new key that the key before it leaked. No signature of that key counts any more. The
/// new key signed all receipts of the store up to a position again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withdrawal {
    pub leaked: PublicKey,
    pub position: u64,
    pub at_ms: i64,
    pub key: PublicKey,
    pub signature: Signature,
}

impl Withdrawal {
    /// Signs such a statement about this store.
    pub fn of(store: Digest, leaked: PublicKey, position: u64, at_ms: i64, key: &ReceiptKey) -> Option<Self> {
        let withdrawal = Self { leaked, position, at_ms, key: key.public(), signature: Bytes([0; 64]) };
        Some(Self { signature: key.sign(withdrawal.message(store))?, ..withdrawal })
    }

    /// Returns whether the key that it names signed it for this store.
    pub fn is_signed(&self, store: Digest) -> bool {
        self.key.has_signed(self.message(store), &self.signature)
    }

    fn message(&self, store: Digest) -> Digest {
        Digest::of(&[
            b"candor withdrawal 1",
            &store.0,
            &self.leaked.0,
            &self.position.to_be_bytes(),
            &self.at_ms.to_be_bytes(),
        ])
    }
}

/// Receipts that were removed from the chain, which a checkpoint replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The position of the last of them.
    pub position: i64,
    /// The link before the first of them.
    pub previous: Digest,
    /// The link of the last of them.
    pub link: Digest,
    pub n_receipts: i64,
    pub removed_ms: i64,
}

impl Removal {
    /// `store` is the store's id. Older versions signed without it.
    fn message(&self, store: Option<Digest>) -> Digest {
        let start: &[&[u8]] = match &store {
            Some(store) => &[b"candor checkpoint 3", &store.0],
            None => &[b"candor checkpoint 2"],
        };
        let of_removal: &[&[u8]] = &[
            &self.position.to_be_bytes(),
            &self.previous.0,
            &self.link.0,
            &self.n_receipts.to_be_bytes(),
            &self.removed_ms.to_be_bytes(),
        ];
        Digest::of(&[start, of_removal].concat())
    }

    /// Signs it for this store.
    pub fn signed(&self, store: Digest, key: &ReceiptKey) -> Option<Signature> {
        key.sign(self.message(Some(store)))
    }

    /// Returns whether a key signed it for this store, or in an older version for any.
    pub fn is_signed(&self, store: Digest, key: PublicKey, signature: &Signature) -> bool {
        [Some(store), None].into_iter().any(|store| key.has_signed(self.message(store), signature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> ReceiptKey {
        ReceiptKey::from_seed(&[seed; 32]).unwrap()
    }

    fn head() -> Head {
        let digest = |byte| Digest([byte; 32]);
        let links = [digest(4), digest(5)];
        let group = Head::group_of(&links);
        Head { store: digest(1), position: 7, at_ms: 9, previous: digest(2), group, link: digest(5) }
    }

    #[test]
    fn a_signature_covers_every_field_of_a_head() {
        let signed = head().signed(&key(1)).unwrap();
        assert!(signed.is_signed());
        let other = Digest([9; 32]);
        let changed = [
            Head { store: other, ..head() },
            Head { position: 8, ..head() },
            Head { at_ms: 8, ..head() },
            Head { previous: other, ..head() },
            Head { group: other, ..head() },
            Head { link: other, ..head() },
        ];
        for head in changed {
            let forged = SignedHead { head, ..signed };
            assert!(!forged.is_signed(), "{head:?}");
            assert_ne!(forged.digest(), signed.digest());
        }
        assert!(!SignedHead { key: key(2).public(), ..signed }.is_signed());
    }

    #[test]
    fn a_restore_explains_the_older_heads_of_the_other_store_alone_and_only_if_it_is_signed() {
        let store = Digest([1; 32]);
        let last = Head { position: 9, at_ms: 50, ..head() };
        let restore = Restore::of(store, &last, 6, 60, &key(1)).unwrap();
        assert!(restore.is_signed(store) && !restore.is_signed(Digest([2; 32])));
        assert!(!Restore { to_position: 5, ..restore }.is_signed(store));
        let explained = [(last, true), (Head { position: 7, ..last }, true), (Head { position: 6, ..last }, false)];
        let not = [(Head { position: 10, ..last }, false), (Head { at_ms: 61, ..last }, false)];
        let other = (Head { link: Digest([9; 32]), ..last }, false);
        for (head, expected) in explained.into_iter().chain(not).chain([other]) {
            assert_eq!(restore.explains(&head), expected, "{head:?}");
        }
    }

    #[test]
    fn a_signature_covers_every_field_of_a_withdrawal() {
        let store = Digest([1; 32]);
        let withdrawal = Withdrawal::of(store, key(1).public(), 6, 60, &key(2)).unwrap();
        assert!(withdrawal.is_signed(store) && !withdrawal.is_signed(Digest([2; 32])));
        let changed = [
            Withdrawal { leaked: key(3).public(), ..withdrawal },
            Withdrawal { position: 7, ..withdrawal },
            Withdrawal { at_ms: 61, ..withdrawal },
            Withdrawal { key: key(1).public(), ..withdrawal },
        ];
        assert!(changed.iter().all(|changed| !changed.is_signed(store)));
    }

    #[test]
    fn a_removal_is_of_one_store_except_those_of_older_versions() {
        let digest = |byte| Digest([byte; 32]);
        let removal = Removal { position: 3, previous: digest(1), link: digest(2), n_receipts: 2, removed_ms: 9 };
        let public = key(1).public();
        let signature = removal.signed(digest(7), &key(1)).unwrap();
        assert!(removal.is_signed(digest(7), public, &signature) && !removal.is_signed(digest(8), public, &signature));
        assert!(!Removal { n_receipts: 3, ..removal }.is_signed(digest(7), public, &signature));
        let older = key(1).sign(removal.message(None)).unwrap();
        assert!([7, 8].iter().all(|store| removal.is_signed(digest(*store), public, &older)));
    }

    #[test]
    fn a_line_is_read_back_and_has_one_form() {
        let signed = head().signed(&key(1)).unwrap();
        assert_eq!(SignedHead::from_line(&signed.to_line()), Ok(signed));
        assert!(SignedHead::from_line(&signed.to_line().replace("at_ms", "at")).is_err());
        let upper = signed.to_line().replace(&signed.key.to_string(), &signed.key.to_string().to_uppercase());
        assert!(SignedHead::from_line(&upper).unwrap_err().contains("lower-case hexadecimal"));
    }

    #[test]
    fn a_key_is_trusted_by_itself_or_over_endorsements_in_their_direction() {
        let endorsed = |key_of: u8, by: u8| Endorsement::of(key(key_of).public(), &key(by), 5).unwrap();
        let public = |seed| key(seed).public();
        let chain = [endorsed(3, 2), endorsed(2, 1)];
        let trusted = |by: u8, endorsements: &[Endorsement]| trusted_keys(public(by), endorsements);
        let keys = |seeds: &[u8]| seeds.iter().map(|seed| public(*seed)).collect::<BTreeSet<_>>();
        assert_eq!(trusted(1, &[]), keys(&[1]));
        assert_eq!(trusted(1, &chain), keys(&[1, 2, 3]));
        assert_eq!(trusted(3, &chain), keys(&[3]), "nobody endorsed the first");
        assert_eq!(trusted(1, &chain[..1]), keys(&[1]));
        let forged = Endorsement { at_ms: 6, ..endorsed(2, 1) };
        assert_eq!(trusted(1, &[forged]), keys(&[1]));
        // Circles end.
        assert_eq!(trusted(1, &[endorsed(1, 2), endorsed(2, 1)]), keys(&[1, 2]));
    }
}
