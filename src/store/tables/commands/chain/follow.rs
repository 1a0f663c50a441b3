//! Verifies the chain and reports where it breaks first.

use crate::database::Database;
use crate::signing::head;
use crate::tables::commands::chain::heads::HeadCheck;
use crate::tables::commands::chain::item::{ChainBreak, Item, checkpoint, of_checkpoints, receipt};
use crate::tables::commands::receipts::of_receipts;
use candor_core::contract::ServiceError;
use candor_core::record::{Digest, PublicKey, SignedHead};

const RECEIPTS_AT_ONCE: usize = 1_000;

/// Heads up to the last receipt that was read. Later ones sign receipts that were appended meanwhile.
const HEADS: &str = "SELECT position, at_ms, previous, links, key, signature FROM heads \
                     WHERE position > $1 AND position <= $2 ORDER BY position";

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
    /// The last signed head. `None` if the chain was never signed.
    pub head: Option<SignedHead>,
    /// Receipts behind it, which no key signed.
    pub n_unsigned: u64,
}

impl Database {
    /// Verifies the chain from its start, over its checkpoints, and the signatures of its heads, and returns where it
    /// breaks. `trusted` is a public key of the bot; without it, the store's own is taken. That the end is missing is
    /// not detected: see [`Self::compare_head`].
    pub async fn follow_chain(&self, trusted: Option<PublicKey>) -> Result<Chain, ServiceError> {
        let mut tries = 1..=TRIES;
        loop {
            let _try = tries.next();
            let before = self.last_checkpoint().await?;
            let chain = self.follow_once(trusted).await?;
            // Two consecutive pages may be from before and after a removal.
            if chain.broken.is_none() || tries.is_empty() || before == self.last_checkpoint().await? {
                return Ok(chain);
            }
        }
    }

    pub async fn verify_chain(&self) -> Result<Option<ChainBreak>, ServiceError> {
        Ok(self.follow_chain(None).await?.broken)
    }

    async fn last_checkpoint(&self) -> Result<Option<i64>, ServiceError> {
        let last = self.row("SELECT max(number) FROM checkpoints", Vec::new()).await?;
        last.map_or(Ok(None), |mut row| row.take())
    }

    async fn follow_once(&self, trusted: Option<PublicKey>) -> Result<Chain, ServiceError> {
        let page = of_receipts!(
            "SELECT position, link, arguments_salt, arguments_digest, number, ",
            "FROM receipts WHERE position > $1 ORDER BY position LIMIT $2"
        );
        let mut chain =
            Chain { n_receipts: 0, n_removed: 0, broken: None, is_emptied: false, head: None, n_unsigned: 0 };
        let store = self.store_id().await?;
        let trust = self.trust(trusted).await?;
        let mut heads = HeadCheck::new(&trust);
        let mut position = i64::MIN;
        let mut previous = Digest::START;
        loop {
            let rows = self.rows(page, vec![position.into(), RECEIPTS_AT_ONCE.into()]).await?;
            let n_rows = rows.len();
            let mut items = rows.into_iter().map(receipt).collect::<Result<Vec<_>, _>>()?;
            let until = match items.last() {
                Some(last) if n_rows == RECEIPTS_AT_ONCE => last.position(),
                _ => i64::MAX,
            };
            let gaps = of_checkpoints!("WHERE position > $1 AND position <= $2");
            let gaps = self.rows(gaps, vec![position.into(), until.into()]).await?;
            for gap in gaps {
                items.push(Item::Gap(checkpoint(gap)?));
            }
            items.sort_by_key(Item::position);
            for item in items {
                // The bot numbers from 1 on.
                if item.position() < 1 {
                    return Ok(Chain { broken: Some(item.broken()), ..chain });
                }
                match item.follows(previous, &trust) {
                    Some(link) => previous = link,
                    None => return Ok(Chain { broken: Some(item.broken()), ..chain }),
                }
                match item {
                    Item::Receipt(receipt) => {
                        chain.n_receipts += 1;
                        if store.is_some() {
                            heads.receipt(receipt.position(), previous);
                        } else {
                            chain.n_unsigned += 1;
                        }
                    }
                    Item::Gap(gap) => {
                        heads.gap(gap.position.unsigned_abs());
                        chain.n_removed += gap.n_receipts.unsigned_abs();
                    }
                }
            }
            if let Some(store) = store {
                for row in self.rows(HEADS, vec![heads.position().into(), heads.last_receipt().into()]).await? {
                    if let Err(broken) = heads.head(&head(row, store)?) {
                        return Ok(Chain { broken: Some(broken), ..chain });
                    }
                }
            }
            if n_rows < RECEIPTS_AT_ONCE {
                if let Err(broken) = heads.verify_last() {
                    return Ok(Chain { broken: Some(broken), ..chain });
                }
                chain.n_unsigned += heads.n_unsigned();
                chain.head = heads.last();
                let given = "SELECT last FROM sequences WHERE name = 'receipts' AND last > 0";
                let has_given = chain.n_receipts == 0 && self.row(given, Vec::new()).await?.is_some();
                return Ok(Chain { is_emptied: has_given, ..chain });
            }
            position = until;
        }
    }
}
