//! Compares a head that was written elsewhere with the chain of this store. Cutting the chain or restoring an older one
//! does not change the published heads.

use std::fmt;
use std::time::SystemTime;

use serde_json::json;

use crate::database::Database;
use crate::signing::head;
use crate::tables::commands::chain::item::{checkpoint, of_checkpoints};
use crate::tables::commands::chain::trust::Trust;
use crate::tables::commands::receipts::digest;
use candor_core::contract::ServiceError;
use candor_core::execution::OperatorCommand;
use candor_core::record::{Digest, PublicKey, ReceiptId, Restore, SignedHead, milliseconds};

/// How many restores are looked at, the newest first.
const RESTORES_MAX: usize = 1_000;

/// The result of comparing a published head with the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadFinding {
    /// The chain holds it.
    Fits,
    /// The receipts there were removed, as a signed checkpoint says.
    Removed,
    /// It is of the store before this `candor restore`, which is in the chain.
    Restored(ReceiptId),
    /// The chain does not have it, and a key signed it that was withdrawn.
    Withdrawn,
    /// No key of this bot signed it.
    Forged,
    /// It is of another store with the same key.
    OtherStore,
    /// The store has no receipt at all.
    Emptied,
    /// The chain ends before it.
    Cut { last: u64 },
    /// The chain has another receipt there.
    Diverged,
}

impl HeadFinding {
    /// Whether receipts are missing that the head names.
    pub fn is_missing(self) -> bool {
        matches!(self, Self::Emptied | Self::Cut { .. } | Self::Diverged)
    }

    pub fn is_good(self) -> bool {
        self.is_of_this_chain() || matches!(self, Self::Restored(_))
    }

    /// Whether the chain has the head, or had it before its receipts were removed.
    pub fn is_of_this_chain(self) -> bool {
        matches!(self, Self::Fits | Self::Removed)
    }
}

impl fmt::Display for HeadFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fits => f.write_str("is in the chain"),
            Self::Removed => f.write_str("is of receipts that were removed since, as a checkpoint says"),
            Self::Restored(id) => write!(f, "is of the store before `candor restore`, receipt {id}"),
            Self::Withdrawn => f.write_str(
                "is signed with a key that leaked, and is not in the chain: somebody with that key made it, or the chain \
                 was changed before `candor receipts rotate --leaked`",
            ),
            Self::Forged => f.write_str("is not signed by a key of this bot"),
            Self::OtherStore => f.write_str("is of another store with the same key"),
            Self::Emptied => f.write_str("is missing, with all receipts: the chain was emptied"),
            Self::Cut { last } => write!(
                f,
                "is missing: the chain ends at position {last}. Its end was cut, or an older store took its place \
                 without `candor restore`"
            ),
            Self::Diverged => f.write_str(
                "is missing: another receipt has its position. An older store took its place without `candor restore` \
                 and went on, or a copy of this store runs elsewhere with the same key",
            ),
        }
    }
}

impl Database {
    /// Compares a head with the chain. `trusted` is a public key of the bot; without it, the store's own is taken.
    pub async fn compare_head(
        &self,
        head: &SignedHead,
        trusted: Option<PublicKey>,
    ) -> Result<HeadFinding, ServiceError> {
        let position = head.head.position;
        let trust = self.trust(trusted).await?;
        let is_known = trust.holds(head.key) || trust.has_withdrawn(head.key);
        if !(is_known && head.is_signed()) {
            return Ok(HeadFinding::Forged);
        }
        if self.store_id().await? != Some(head.head.store) {
            return Ok(HeadFinding::OtherStore);
        }
        let finding = self.find_position(position, head.head.link, &trust).await?;
        match finding {
            HeadFinding::Fits | HeadFinding::Removed => Ok(finding),
            _ => match self.restore_of(head, &trust).await? {
                Some(restore) => Ok(HeadFinding::Restored(restore)),
                None if !trust.holds(head.key) => Ok(HeadFinding::Withdrawn),
                None => Ok(finding),
            },
        }
    }

    async fn find_position(&self, position: u64, link: Digest, trust: &Trust) -> Result<HeadFinding, ServiceError> {
        let none = (u64::MAX, Digest::START);
        let receipt = "SELECT position, link FROM receipts WHERE position >= $1 ORDER BY position LIMIT 1";
        let receipt = match self.row(receipt, vec![position.into()]).await? {
            Some(mut row) => (row.take()?, digest(row.take()?)?),
            None => none,
        };
        let gap = of_checkpoints!("WHERE position >= $1 ORDER BY position LIMIT 1");
        let gap = self.row(gap, vec![position.into()]).await?.map(checkpoint).transpose()?;
        // One that nobody signed says nothing.
        let gap = gap.and_then(|gap| gap.signed_removal(trust));
        let gap = gap.map_or(none, |gap| (gap.position.unsigned_abs(), gap.link));
        if receipt.0 == u64::MAX && gap.0 == u64::MAX {
            let last = self.row("SELECT max(position) FROM receipts", Vec::new()).await?;
            let last: Option<u64> = last.map_or(Ok(None), |mut row| row.take())?;
            return Ok(last.map_or(HeadFinding::Emptied, |last| HeadFinding::Cut { last }));
        }
        let nearest = if receipt.0 <= gap.0 { receipt } else { gap };
        Ok(match nearest {
            _ if nearest == (position, link) => HeadFinding::Fits,
            _ if gap.0 < receipt.0 && position < gap.0 => HeadFinding::Removed,
            _ => HeadFinding::Diverged,
        })
    }

    /// Returns the restore that replaced the store of this head.
    async fn restore_of(&self, head: &SignedHead, trust: &Trust) -> Result<Option<ReceiptId>, ServiceError> {
        let restores = self.restores(head.head.store, trust).await?;
        Ok(restores.into_iter().find(|(_, restore)| restore.explains(&head.head)).map(|(id, _)| id))
    }

    /// Returns the restores that the chain records with a signature, the newest first. The receipt alone proves nothing:
    /// the bot signs receipts that another program appended.
    async fn restores(&self, store: Digest, trust: &Trust) -> Result<Vec<(ReceiptId, Restore)>, ServiceError> {
        let recorded = self.operator_arguments(OperatorCommand::Restore, RESTORES_MAX).await?;
        let signed = recorded.into_iter().filter_map(|recorded| {
            let restore: Restore = serde_json::from_str(&recorded.arguments).ok()?;
            let is_ours = trust.holds_at(restore.key, recorded.position) && restore.is_signed(store);
            is_ours.then_some((recorded.id, restore))
        });
        Ok(signed.collect())
    }

    /// Records in the chain that this store takes the place of another one, whose last head is known. `shared` is the
    /// last position that both share.
    pub async fn record_restore(&self, shared: u64, replaced: &SignedHead) -> Result<(), ServiceError> {
        let signer = self.signer.as_ref();
        let at_ms = milliseconds(SystemTime::now());
        let restore = signer.and_then(|signer| Restore::of(signer.store, &replaced.head, shared, at_ms, &signer.key));
        let restore =
            restore.ok_or_else(|| ServiceError::Store("a restore is recorded only with the key".to_owned()))?;
        self.record_operator_command(OperatorCommand::Restore, &json!(restore)).await
    }

    /// Records that this store takes the place of another one, unless it has all heads of that one. `outside` is a head
    /// that was written beside the other one. Takes over the restores that only the other one records: they explain heads
    /// that neither of both has.
    pub(crate) async fn record_replaced(
        &self,
        replaced: Option<&Self>,
        outside: Option<SignedHead>,
    ) -> Result<(), ServiceError> {
        let Some(store) = self.store_id().await? else { return Ok(()) };
        let trust = self.trust(None).await?;
        let mut last = outside;
        // Without the other store, the last shared position is not known exactly.
        let mut shared = match outside {
            Some(outside) => match self.find_position(outside.head.position, outside.head.link, &trust).await? {
                HeadFinding::Cut { last } => last,
                _ => 0,
            },
            None => 0,
        };
        if let Some(replaced) = replaced
            && replaced.store_id().await? == Some(store)
        {
            self.take_over_restores(replaced, store, &trust).await?;
            shared = self.last_shared(replaced, store, &trust).await?;
            let inside = replaced.last_head().await?.filter(|head| trust.holds(head.key) && head.is_signed());
            last = last.into_iter().chain(inside).max_by_key(|head| head.head.position);
        }
        let Some(last) = last else { return Ok(()) };
        match self.compare_head(&last, None).await? {
            HeadFinding::Fits | HeadFinding::Removed => Ok(()),
            _ => self.record_restore(shared, &last).await,
        }
    }

    /// Records the restores that only a replaced store records, signed again.
    async fn take_over_restores(&self, replaced: &Self, store: Digest, trust: &Trust) -> Result<(), ServiceError> {
        let Some(signer) = &self.signer else { return Ok(()) };
        let again = |restore: Restore| restore.signed_again(store, &signer.key);
        let own: Vec<_> = self.restores(store, trust).await?.into_iter().map(|(_, own)| again(own)).collect();
        let of_replaced = replaced.trust(Some(signer.key.public())).await?;
        // The oldest first.
        for (_, restore) in replaced.restores(store, &of_replaced).await?.into_iter().rev() {
            let restore = again(restore);
            if !own.contains(&restore) {
                self.record_operator_command(OperatorCommand::Restore, &json!(restore)).await?;
            }
        }
        Ok(())
    }

    /// Returns the position of the last head of another store that this chain has. 0 if there is none.
    async fn last_shared(&self, other: &Self, store: Digest, trust: &Trust) -> Result<u64, ServiceError> {
        let next = "SELECT position, at_ms, previous, links, key, signature FROM heads \
                    WHERE position > $1 ORDER BY position LIMIT 1";
        let mut shared = 0;
        let mut end = other.last_head().await?.map_or(0, |head| head.head.position);
        // Heads up to `shared` are in both chains, and heads behind `end` are not known to be.
        while shared < end {
            let middle = shared + (end - shared) / 2;
            let head = other.row(next, vec![middle.into()]).await?.map(|row| head(row, store)).transpose()?;
            let head = head.map(|head| head.signed.head).filter(|head| head.position <= end);
            let fits = match head {
                Some(head) => self.find_position(head.position, head.link, trust).await? == HeadFinding::Fits,
                None => false,
            };
            match head {
                Some(head) if fits => shared = head.position,
                _ => end = middle,
            }
        }
        Ok(shared)
    }
}
