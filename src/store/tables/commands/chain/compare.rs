//! Compares a head that was written elsewhere with the chain of this store. Cutting the chain or restoring an older one
//! does not change the published heads.

use std::fmt;
use std::time::SystemTime;

use serde_json::json;

use crate::database::Database;
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
        if !(trust.holds(head.key) && head.is_signed()) {
            return Ok(HeadFinding::Forged);
        }
        if self.store_id().await? != Some(head.head.store) {
            return Ok(HeadFinding::OtherStore);
        }
        let finding = self.find_position(position, head.head.link, &trust).await?;
        match finding {
            HeadFinding::Fits | HeadFinding::Removed => Ok(finding),
            _ => Ok(self.restore_of(head, &trust).await?.map_or(finding, HeadFinding::Restored)),
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
        let restores = "SELECT number, arguments FROM receipts WHERE substr(command, 1, 1) <> '/' AND command = $1 \
                        ORDER BY position DESC LIMIT $2";
        let values = vec![OperatorCommand::Restore.name().into(), RESTORES_MAX.into()];
        for mut row in self.rows(restores, values).await? {
            let id = ReceiptId::from_number(row.take()?);
            let arguments: Option<String> = row.take()?;
            // The receipt alone proves nothing: the bot signs receipts that another program appended.
            let restore = arguments.and_then(|arguments| serde_json::from_str::<Restore>(&arguments).ok());
            let is_ours = |restore: &Restore| trust.holds(restore.key) && restore.is_signed(head.head.store);
            if restore.is_some_and(|restore| is_ours(&restore) && restore.explains(&head.head)) {
                return Ok(Some(id));
            }
        }
        Ok(None)
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
}
