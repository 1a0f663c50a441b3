//! Verifies the chain and reports where it breaks first.

use crate::database::Database;
use crate::tables::commands::chain::item::{ChainBreak, Item, KEY, checkpoint, receipt};
use crate::tables::commands::receipts::of_receipts;
use candor_core::contract::ServiceError;
use candor_core::record::Digest;
use candor_engine::{KEY_LENGTH, SigningKey};

const RECEIPTS_AT_ONCE: usize = 1_000;

/// How often verification starts again because receipts were removed meanwhile.
const TRIES: usize = 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Receipts that fit their place.
    pub n_receipts: u64,
    pub n_removed: u64,
    /// The first break. Later items were not checked.
    pub broken: Option<ChainBreak>,
    /// Whether receipt numbers were reserved and no receipt is left. The bot itself never removes the newest.
    pub is_emptied: bool,
}

impl Database {
    /// Verifies the chain from its start, over its checkpoints, and returns where it breaks. It cannot detect a chain
    /// that was truncated at its end but kept its first receipts, or one rebuilt with the store's key.
    pub async fn follow_chain(&self) -> Result<Chain, ServiceError> {
        let mut tries = 1..=TRIES;
        loop {
            let _try = tries.next();
            let before = self.last_checkpoint().await?;
            let chain = self.follow_once().await?;
            // Two consecutive pages may be from before and after a removal.
            if chain.broken.is_none() || tries.is_empty() || before == self.last_checkpoint().await? {
                return Ok(chain);
            }
        }
    }

    pub async fn verify_chain(&self) -> Result<Option<ChainBreak>, ServiceError> {
        Ok(self.follow_chain().await?.broken)
    }

    async fn last_checkpoint(&self) -> Result<Option<i64>, ServiceError> {
        let last = self.row("SELECT max(number) FROM checkpoints", Vec::new()).await?;
        last.map_or(Ok(None), |mut row| row.take())
    }

    /// Returns the key that signs checkpoints. Creates none: a reader needs it only if there are checkpoints.
    async fn checkpoint_key(&self) -> Result<Option<SigningKey>, ServiceError> {
        let kept = self.row("SELECT value FROM secrets WHERE name = $1", vec![KEY.into()]).await?;
        let kept: Option<Vec<u8>> = kept.map(|mut row| row.take()).transpose()?;
        Ok(kept.and_then(|bytes| <[u8; KEY_LENGTH]>::try_from(bytes).ok()).map(SigningKey::new))
    }

    async fn follow_once(&self) -> Result<Chain, ServiceError> {
        let page = of_receipts!(
            "SELECT position, link, arguments_salt, arguments_digest, number, ",
            "FROM receipts WHERE position > $1 ORDER BY position LIMIT $2"
        );
        let key = self.checkpoint_key().await?;
        let mut chain = Chain { n_receipts: 0, n_removed: 0, broken: None, is_emptied: false };
        let mut position = 0_i64;
        let mut previous = Digest::START;
        loop {
            let rows = self.rows(page, vec![position.into(), RECEIPTS_AT_ONCE.into()]).await?;
            let n_rows = rows.len();
            let mut items = rows.into_iter().map(receipt).collect::<Result<Vec<_>, _>>()?;
            let until = match items.last() {
                Some(last) if n_rows == RECEIPTS_AT_ONCE => last.position(),
                _ => i64::MAX,
            };
            let gaps = "SELECT position, previous, link, n_receipts, removed_ms, code FROM checkpoints \
                        WHERE position > $1 AND position <= $2";
            let gaps = self.rows(gaps, vec![position.into(), until.into()]).await?;
            items.extend(gaps.into_iter().map(checkpoint).collect::<Result<Vec<_>, _>>()?);
            items.sort_by_key(Item::position);
            for item in items {
                match item.follows(previous, key.as_ref()) {
                    Some(link) => previous = link,
                    None => return Ok(Chain { broken: Some(item.broken()), ..chain }),
                }
                match item {
                    Item::Receipt(_) => chain.n_receipts += 1,
                    Item::Gap(gap) => chain.n_removed += gap.n_receipts.unsigned_abs(),
                }
            }
            if n_rows < RECEIPTS_AT_ONCE {
                let given = "SELECT last FROM sequences WHERE name = 'receipts' AND last > 0";
                let has_given = chain.n_receipts == 0 && self.row(given, Vec::new()).await?.is_some();
                return Ok(Chain { is_emptied: has_given, ..chain });
            }
            position = until;
        }
    }
}
