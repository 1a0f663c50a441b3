//! Makes proofs of receipts in the chain.

use crate::database::Database;
use crate::receipt_keys::endorsements;
use crate::signing::head;
use crate::tables::commands::chain::item::{Item, checkpoint, of_checkpoints, receipt};
use crate::tables::commands::receipts::{digest, of_receipts};
use candor_core::contract::ServiceError;
use candor_core::record::{
    Digest, PROOF_FORMAT, PROOF_RECEIPTS_MAX, PROOF_SIZE_MAX, Proof, ProofError, ProvenHead, ProvenReceipt, PublicKey,
    ReceiptId,
};

const AT_ONCE: usize = 1_000;

/// Which receipts a proof is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofRange {
    One(ReceiptId),
    /// From the first to the last, both included, in the order of the chain.
    Between(ReceiptId, ReceiptId),
    All,
}

#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    #[error(transparent)]
    Store(#[from] ServiceError),
    #[error("there is no receipt {0}")]
    Unknown(ReceiptId),
    #[error("receipt {0} does not come before receipt {1}")]
    Backwards(ReceiptId, ReceiptId),
    #[error("there is no receipt yet")]
    Empty,
    #[error("the receipts are not signed: the bot signs them at its next start with a key")]
    Unsigned,
    #[error("receipt {0} cannot be read, so it cannot be proven: run `candor receipts verify`")]
    Unreadable(ReceiptId),
    #[error("the store was changed, so that these receipts cannot be proven ({0}): run `candor receipts verify`")]
    Broken(ProofError),
    #[error("these are more receipts than one proof can hold: prove a smaller range, FROM..TO")]
    TooMany,
}

impl Database {
    /// Returns a proof of these receipts, which needs no store to be verified.
    pub async fn prove(&self, range: ProofRange) -> Result<Proof, ProveError> {
        let store = self.store_id().await?.ok_or(ProveError::Unsigned)?;
        let (first, last) = match range {
            ProofRange::One(id) => {
                let position = self.position_of(id).await?;
                (position, position)
            }
            ProofRange::Between(from, to) => {
                let first = self.position_of(from).await?;
                let last = self.position_of(to).await?;
                if last < first {
                    return Err(ProveError::Backwards(from, to));
                }
                (first, last)
            }
            ProofRange::All => (0, u64::MAX >> 1),
        };
        let receipts = self.proven(first, last).await?;
        if receipts.is_empty() {
            return Err(ProveError::Empty);
        }
        let heads = self.heads_of(first, &receipts, store).await?;
        let keys = endorsements(&self.receipt_keys().await?);
        let receipts = receipts.into_iter().map(|proven| proven.receipt).collect();
        let proof = Proof { format: PROOF_FORMAT.to_owned(), keys, heads, receipts };
        let text = proof.to_text();
        if PROOF_SIZE_MAX < text.len() {
            return Err(ProveError::TooMany);
        }
        let key = self.receipt_key().await?.ok_or(ProveError::Unsigned)?;
        match Proof::verify(&text, key) {
            Ok(proof) => Ok(proof),
            Err(problem) => Err(ProveError::Broken(problem)),
        }
    }

    /// Returns the public key that signs this chain. `None` if it was never signed.
    pub async fn receipt_key(&self) -> Result<Option<PublicKey>, ServiceError> {
        Ok(self.receipt_keys().await?.last().map(|last| last.key))
    }

    async fn position_of(&self, id: ReceiptId) -> Result<u64, ProveError> {
        let position = "SELECT position FROM receipts WHERE number = $1";
        let mut row = self.row(position, vec![id.number().into()]).await?.ok_or(ProveError::Unknown(id))?;
        Ok(row.take()?)
    }

    /// Returns the receipts between two positions, both included.
    async fn proven(&self, first: u64, last: u64) -> Result<Vec<Positioned>, ProveError> {
        let page = of_receipts!(
            "SELECT position, link, arguments_salt, arguments_digest, number, ",
            "FROM receipts WHERE position >= $1 AND position <= $2 ORDER BY position LIMIT $3"
        );
        let gaps = of_checkpoints!("WHERE position >= $1 AND position <= $2");
        let mut previous = self.link_before(first).await?;
        let mut proven = Vec::new();
        let mut from = first;
        loop {
            let rows = self.rows(page, vec![from.into(), last.into(), AT_ONCE.into()]).await?;
            let n_rows = rows.len();
            let mut items = rows.into_iter().map(receipt).collect::<Result<Vec<_>, _>>()?;
            let Some(until) = items.last().map(Item::position) else { return Ok(proven) };
            let gaps = self.rows(gaps, vec![from.into(), until.into()]).await?;
            for gap in gaps {
                items.push(Item::Gap(checkpoint(gap)?));
            }
            items.sort_by_key(Item::position);
            for item in items {
                let link = item.link();
                if let Item::Receipt(receipt) = &item {
                    let unreadable = || ProveError::Unreadable(receipt.id());
                    let position = receipt.position();
                    let receipt = receipt.proven(previous).ok_or_else(unreadable)?;
                    proven.push(Positioned { position, receipt });
                }
                previous = link.unwrap_or(previous);
            }
            if PROOF_RECEIPTS_MAX < proven.len() {
                return Err(ProveError::TooMany);
            }
            if n_rows < AT_ONCE {
                return Ok(proven);
            }
            from = until.unsigned_abs() + 1;
        }
    }

    /// Returns the link of the item before a position, a receipt or a checkpoint.
    async fn link_before(&self, position: u64) -> Result<Digest, ServiceError> {
        let receipt = "SELECT position, link FROM receipts WHERE position < $1 ORDER BY position DESC LIMIT 1";
        let gap = "SELECT position, link FROM checkpoints WHERE position < $1 ORDER BY position DESC LIMIT 1";
        let mut last = (0, Digest::START);
        for statement in [receipt, gap] {
            if let Some(mut row) = self.row(statement, vec![position.into()]).await? {
                let position: u64 = row.take()?;
                let link = digest(row.take()?)?;
                last = if last.0 < position { (position, link) } else { last };
            }
        }
        Ok(last.1)
    }

    /// Returns the heads that sign these receipts.
    async fn heads_of(
        &self,
        first: u64,
        receipts: &[Positioned],
        store: Digest,
    ) -> Result<Vec<ProvenHead>, ProveError> {
        let page = "SELECT position, at_ms, previous, links, key, signature FROM heads \
                    WHERE position >= $1 ORDER BY position LIMIT $2";
        let mut heads = Vec::new();
        let mut receipts = receipts.iter().peekable();
        let mut from = first;
        while receipts.peek().is_some() {
            let rows = self.rows(page, vec![from.into(), AT_ONCE.into()]).await?;
            if rows.is_empty() {
                return Err(ProveError::Unsigned);
            }
            for row in rows {
                let head = head(row, store)?;
                let position = head.signed.head.position;
                from = position + 1;
                let mut has_receipt = false;
                while receipts.next_if(|receipt| receipt.position <= position).is_some() {
                    has_receipt = true;
                }
                if has_receipt {
                    heads.push(head);
                }
                if receipts.peek().is_none() {
                    break;
                }
            }
        }
        Ok(heads)
    }
}

struct Positioned {
    position: u64,
    receipt: ProvenReceipt,
}
