//! The chain of receipts as a whole: followed, listed and shortened.
//!
//! A receipt's link is a hash over the receipt and the link before it. Where receipts were removed, a checkpoint stands
//! in their place: it holds the link before the gap and that of the last receipt in it, with a code that only this
//! store's key makes. Nothing is removed that does not fit its place in the chain: what was changed stays as evidence.

use std::time::SystemTime;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use tracing::warn;

use super::receipts::{arguments_digest, digest, entry};
use crate::edges::store::database::Database;
use crate::edges::store::sql::{Connection, Row};
use crate::edges::store::tables::words::TAKEN_OUT;
use crate::host::{KEY_LENGTH, Secrets as _, SigningKey};
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;
use candor_core::record::{Digest, LedgerEntry, ReceiptId, milliseconds};

/// Receipts that are read at once.
const RECEIPTS_AT_ONCE: usize = 1_000;

/// Receipts removed or changed in one transaction: a command that ends meanwhile waits for it.
const CHANGED_AT_ONCE: usize = 100;

/// How often the chain is followed anew because receipts were removed meanwhile.
const TRIES: usize = 10;

/// The name of the key in the store that signs checkpoints.
const KEY: &str = "checkpoints";

/// What was found when the chain was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Receipts that are in their place.
    pub n_receipts: u64,
    /// Receipts that were removed by this program.
    pub n_removed: u64,
    /// The first thing that is not in its place. Nothing behind it was looked at.
    pub broken: Option<Broken>,
}

/// Where the chain breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// This receipt is not as it was stored, or what stands before it is not what stood there.
    Receipt(ReceiptId),
    /// The checkpoint at this position was not made by this program, or does not fit its place.
    Checkpoint(i64),
}

impl std::fmt::Display for Broken {
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

/// A receipt as it stands in the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredReceipt {
    /// Its place in the chain. Positions grow, with gaps.
    pub position: i64,
    /// What it says.
    pub entry: LedgerEntry,
    /// The hash over it and the one before it.
    pub link: Digest,
}

/// Which receipts are meant. Without conditions: all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiptFilter {
    /// Those of this caller.
    pub user: Option<UserId>,
    /// Those of this command, such as `/tasks add`, or of all its subcommands: `/tasks`.
    pub command: Option<String>,
}

/// The two kinds of receipts that are kept for different times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptKind {
    /// Of commands that a person or a model called.
    Called,
    /// Of what the host runs again and again to refresh a live message.
    Refreshed,
}

impl Database {
    /// Follows the chain from its start, over its checkpoints, and says where it breaks. A chain cut short at its end,
    /// or one remade with the store's key, cannot be told from an intact one.
    pub async fn follow_chain(&self) -> Result<Chain, ServiceError> {
        let mut tries = 1..=TRIES;
        loop {
            let _try = tries.next();
            let before = self.last_checkpoint().await?;
            let chain = self.follow_once().await?;
            // A page and the next may be from before and after a removal.
            if chain.broken.is_none() || tries.is_empty() || before == self.last_checkpoint().await? {
                return Ok(chain);
            }
        }
    }

    /// Follows the chain and says where it breaks, if it does.
    pub async fn verify_chain(&self) -> Result<Option<Broken>, ServiceError> {
        Ok(self.follow_chain().await?.broken)
    }

    /// Receipts before this position, newest first, at most `limit` (up to 1,000 at once).
    pub async fn receipts_before(
        &self,
        position: i64,
        filter: &ReceiptFilter,
        limit: usize,
    ) -> Result<Vec<StoredReceipt>, ServiceError> {
        let page = "SELECT position, link, number, command, arguments, caller, place, started_ms, took_us, outcome, \
                    origin, source_name, source_as_of_ms, digest FROM receipts WHERE position < $1 \
                    AND ($2 IS NULL OR caller = $2) \
                    AND ($3 IS NULL OR command = $3 OR substr(command, 1, length($3) + 1) = $3 || ' ') \
                    ORDER BY position DESC LIMIT $4";
        self.stored(page, position, filter, limit).await
    }

    /// Receipts after this position, oldest first, at most `limit` (up to 1,000 at once).
    pub async fn receipts_after(
        &self,
        position: i64,
        filter: &ReceiptFilter,
        limit: usize,
    ) -> Result<Vec<StoredReceipt>, ServiceError> {
        let page = "SELECT position, link, number, command, arguments, caller, place, started_ms, took_us, outcome, \
                    origin, source_name, source_as_of_ms, digest FROM receipts WHERE position > $1 \
                    AND ($2 IS NULL OR caller = $2) \
                    AND ($3 IS NULL OR command = $3 OR substr(command, 1, length($3) + 1) = $3 || ' ') \
                    ORDER BY position LIMIT $4";
        self.stored(page, position, filter, limit).await
    }

    /// The receipt of this id, if it is there.
    pub async fn stored_receipt(&self, id: ReceiptId) -> Result<Option<StoredReceipt>, ServiceError> {
        let receipt = "SELECT position, link, number, command, arguments, caller, place, started_ms, took_us, outcome, \
                       origin, source_name, source_as_of_ms, digest FROM receipts WHERE number = $1";
        self.row(receipt, vec![id.number().into()]).await?.map(stored).transpose()
    }

    /// Removes a part of the receipts from before a moment, the oldest first, and says how many. The newest receipt of
    /// all stays, because the chain goes on from it. What was changed stays as well, and the log names it.
    pub async fn remove_receipts(
        &self,
        kind: ReceiptKind,
        before: SystemTime,
        now: SystemTime,
    ) -> Result<usize, ServiceError> {
        let key = self.key(KEY).await?;
        let removed = self
            .write(move |connection| Box::pin(async move { remove(connection, kind, before, now, &key).await }))
            .await?;
        if let Some(first) = removed.skipped.first() {
            warn!(skipped = removed.skipped.len(), first = %first, "what was changed in the ledger is not removed");
        }
        Ok(removed.n_receipts)
    }

    /// Takes the arguments out of a part of the receipts from before a moment, of one caller or of all, and says of how
    /// many. The chain still holds. Receipts from before arguments could be taken out keep theirs.
    pub async fn take_out_arguments(&self, before: SystemTime, user: Option<UserId>) -> Result<u64, ServiceError> {
        let taken_out = "UPDATE receipts SET arguments = NULL, arguments_salt = NULL WHERE position IN \
                         (SELECT position FROM receipts WHERE arguments IS NOT NULL AND arguments_digest IS NOT NULL \
                         AND started_ms < $1 AND ($2 IS NULL OR caller = $2) ORDER BY position LIMIT $3)";
        let user = user.map(|user| user.0.cast_signed());
        self.execute(taken_out, vec![before.into(), user.into(), CHANGED_AT_ONCE.into()]).await
    }

    /// Takes the arguments out of the runs under way that began before a moment, of one caller or of everybody, and
    /// says of how many.
    pub async fn take_out_intended(&self, before: SystemTime, user: Option<UserId>) -> Result<u64, ServiceError> {
        let taken_out = "UPDATE intents SET arguments = $1 WHERE arguments <> $1 AND begun_ms < $2 \
                         AND ($3 IS NULL OR caller = $3)";
        let user = user.map(|user| user.0.cast_signed());
        self.execute(taken_out, vec![TAKEN_OUT.into(), before.into(), user.into()]).await
    }

    async fn stored(
        &self,
        page: &'static str,
        position: i64,
        filter: &ReceiptFilter,
        limit: usize,
    ) -> Result<Vec<StoredReceipt>, ServiceError> {
        let user = filter.user.map(|user| user.0.cast_signed());
        let limit = limit.min(RECEIPTS_AT_ONCE);
        let rows = self.rows(page, vec![position.into(), user.into(), filter.command.as_deref().into(), limit.into()]);
        rows.await?.into_iter().map(stored).collect()
    }

    async fn last_checkpoint(&self) -> Result<Option<i64>, ServiceError> {
        let last = self.row("SELECT max(number) FROM checkpoints", Vec::new()).await?;
        last.map_or(Ok(None), |mut row| row.take())
    }

    /// The key that signs checkpoints. None is made: whoever only reads has none without checkpoints.
    async fn checkpoint_key(&self) -> Result<Option<SigningKey>, ServiceError> {
        let kept = self.row("SELECT value FROM secrets WHERE name = $1", vec![KEY.into()]).await?;
        let kept: Option<Vec<u8>> = kept.map(|mut row| row.take()).transpose()?;
        Ok(kept.and_then(|bytes| <[u8; KEY_LENGTH]>::try_from(bytes).ok()).map(SigningKey::new))
    }

    async fn follow_once(&self) -> Result<Chain, ServiceError> {
        let page = "SELECT position, link, arguments_salt, arguments_digest, number, number, command, arguments, \
                    caller, place, started_ms, took_us, outcome, origin, source_name, source_as_of_ms, digest \
                    FROM receipts WHERE position > $1 ORDER BY position LIMIT $2";
        let key = self.checkpoint_key().await?;
        let mut chain = Chain { n_receipts: 0, n_removed: 0, broken: None };
        let (mut position, mut previous) = (0_i64, Digest::START);
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
                return Ok(chain);
            }
            position = until;
        }
    }
}

/// What stands at a position of the chain.
enum Item {
    Receipt(Box<Chained>),
    Gap(Checkpoint),
}

/// A receipt with what ties it to the chain. What cannot be read was not written by this program.
struct Chained {
    position: i64,
    id: ReceiptId,
    link: Option<Digest>,
    arguments_salt: Option<Vec<u8>>,
    arguments_digest: Option<Vec<u8>>,
    entry: Option<LedgerEntry>,
}

struct Checkpoint {
    position: i64,
    previous: Vec<u8>,
    link: Vec<u8>,
    n_receipts: i64,
    removed_ms: i64,
    code: Vec<u8>,
}

impl Item {
    fn position(&self) -> i64 {
        match self {
            Self::Receipt(receipt) => receipt.position,
            Self::Gap(gap) => gap.position,
        }
    }

    /// Its link as it is stored, if it is one.
    fn link(&self) -> Option<Digest> {
        match self {
            Self::Receipt(receipt) => receipt.link,
            Self::Gap(gap) => digest(gap.link.clone()).ok(),
        }
    }

    fn n_receipts(&self) -> i64 {
        match self {
            Self::Receipt(_) => 1,
            Self::Gap(gap) => gap.n_receipts,
        }
    }

    fn broken(&self) -> Broken {
        match self {
            Self::Receipt(receipt) => Broken::Receipt(receipt.id),
            Self::Gap(gap) => Broken::Checkpoint(gap.position),
        }
    }

    /// Its link, if it is what stood behind this link.
    fn follows(&self, previous: Digest, key: Option<&SigningKey>) -> Option<Digest> {
        match self {
            Self::Receipt(receipt) => receipt.follows(previous),
            Self::Gap(gap) => gap.follows(previous, key?),
        }
    }
}

impl Chained {
    fn follows(&self, previous: Digest) -> Option<Digest> {
        let (entry, link) = (self.entry.as_ref()?, self.link?);
        let arguments = match (&self.arguments_digest, &self.arguments_salt, entry.has_arguments) {
            // From before there were digests of arguments.
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

    fn mac(&self, key: &SigningKey) -> Hmac<Sha256> {
        let parts: [&[u8]; 6] = [
            b"candor checkpoint 1",
            &self.position.to_be_bytes(),
            &self.previous,
            &self.link,
            &self.n_receipts.to_be_bytes(),
            &self.removed_ms.to_be_bytes(),
        ];
        // HMAC itself fills a shorter key up with zeros to a block of its hash.
        let mut block = [0; 64];
        block.iter_mut().zip(key.bytes()).for_each(|(byte, kept)| *byte = *kept);
        Hmac::new((&block).into()).chain_update(Digest::of(&parts).0)
    }
}

fn stored(mut row: Row) -> Result<StoredReceipt, ServiceError> {
    let (position, link) = (row.take()?, digest(row.take()?)?);
    Ok(StoredReceipt { position, link, entry: entry(row)? })
}

/// A receipt of a row that holds the number twice: once for its name if the rest cannot be read.
fn receipt(mut row: Row) -> Result<Item, ServiceError> {
    let (position, link) = (row.take()?, digest(row.take()?).ok());
    let (arguments_salt, arguments_digest) = (row.take()?, row.take()?);
    let (id, entry) = (ReceiptId::from_number(row.take()?), entry(row).ok());
    Ok(Item::Receipt(Box::new(Chained { position, id, link, arguments_salt, arguments_digest, entry })))
}

fn checkpoint(mut row: Row) -> Result<Item, ServiceError> {
    let (position, previous, link) = (row.take()?, row.take()?, row.take()?);
    let (n_receipts, removed_ms, code) = (row.take()?, row.take()?, row.take()?);
    Ok(Item::Gap(Checkpoint { position, previous, link, n_receipts, removed_ms, code }))
}

/// Receipts next to each other, to be removed together, and what stands before them.
struct Run {
    before: i64,
    previous: Digest,
    items: Vec<Item>,
    /// The position of the last of them.
    last: i64,
}

/// What was removed.
struct Removed {
    n_receipts: usize,
    /// What is not in its place, and stays.
    skipped: Vec<Broken>,
}

/// Removes the oldest receipts of a kind from before a moment that are in their place.
async fn remove(
    connection: &mut dyn Connection,
    kind: ReceiptKind,
    before: SystemTime,
    now: SystemTime,
    key: &SigningKey,
) -> Result<Removed, ServiceError> {
    let old = match kind {
        ReceiptKind::Called => {
            "SELECT started_ms, (SELECT max(position) FROM receipts AS b WHERE b.position < a.position), \
             (SELECT link FROM receipts AS b WHERE b.position < a.position ORDER BY position DESC LIMIT 1), \
             position, link, arguments_salt, arguments_digest, number, number, command, arguments, \
             caller, place, started_ms, took_us, outcome, origin, source_name, source_as_of_ms, digest \
             FROM receipts AS a WHERE origin <> 'refreshed' AND started_ms < $1 \
             AND (started_ms > $2 OR started_ms = $2 AND position > $3) \
             AND position < (SELECT max(position) FROM receipts) ORDER BY started_ms, position LIMIT $4"
        }
        ReceiptKind::Refreshed => {
            "SELECT started_ms, (SELECT max(position) FROM receipts AS b WHERE b.position < a.position), \
             (SELECT link FROM receipts AS b WHERE b.position < a.position ORDER BY position DESC LIMIT 1), \
             position, link, arguments_salt, arguments_digest, number, number, command, arguments, \
             caller, place, started_ms, took_us, outcome, origin, source_name, source_as_of_ms, digest \
             FROM receipts AS a WHERE origin = 'refreshed' AND started_ms < $1 \
             AND (started_ms > $2 OR started_ms = $2 AND position > $3) \
             AND position < (SELECT max(position) FROM receipts) ORDER BY started_ms, position LIMIT $4"
        }
    };
    // Whoever appends holds it too: nothing comes in between.
    connection.lock("receipts").await?;
    let mut removed = Removed { n_receipts: 0, skipped: Vec::new() };
    // Behind those that were skipped.
    let mut after = (i64::MIN, i64::MIN);
    while removed.n_receipts == 0 {
        let values = [before.into(), after.0.into(), after.1.into(), CHANGED_AT_ONCE.into()];
        let rows = connection.rows(old, &values).await?;
        if rows.is_empty() {
            break;
        }
        let mut found = Vec::with_capacity(rows.len());
        for mut row in rows {
            let started: i64 = row.take()?;
            let (before, previous): (Option<i64>, Option<Vec<u8>>) = (row.take()?, row.take()?);
            let item = receipt(row)?;
            after = (started, item.position());
            match previous.map_or(Ok(Digest::START), digest) {
                Ok(previous) => found.push((before.unwrap_or_default(), previous, item)),
                Err(_) => removed.skipped.push(item.broken()),
            }
        }
        found.sort_by_key(|(_, _, item)| item.position());
        let mut runs: Vec<Run> = Vec::new();
        for (before, previous, item) in found {
            let position = item.position();
            match runs.last_mut() {
                Some(run) if run.last == before => {
                    run.last = position;
                    run.items.push(item);
                }
                _ => runs.push(Run { before, previous, items: vec![item], last: position }),
            }
        }
        for run in runs {
            remove_run(connection, run, now, key, &mut removed).await?;
        }
    }
    Ok(removed)
}

/// Removes receipts that stand next to each other, with the gaps beside them. What is not in its place stays, and so does
/// what its link does not lead to.
async fn remove_run(
    connection: &mut dyn Connection,
    Run { before, previous, mut items, last }: Run,
    now: SystemTime,
    key: &SigningKey,
    removed: &mut Removed,
) -> Result<(), ServiceError> {
    let next = "SELECT min(position) FROM receipts WHERE position > $1";
    let next = connection.value::<Option<i64>>(next, &[last.into()]).await?.flatten().unwrap_or(i64::MAX);
    let gaps = "SELECT position, previous, link, n_receipts, removed_ms, code FROM checkpoints \
                WHERE position > $1 AND position < $2";
    for gap in connection.rows(gaps, &[before.into(), next.into()]).await? {
        items.push(checkpoint(gap)?);
    }
    items.sort_by_key(Item::position);
    let mut part = Part { before, previous, link: previous, items: Vec::new() };
    for item in items {
        if let Some(link) = item.follows(part.link, Some(key)) {
            part.link = link;
            part.items.push(item);
            continue;
        }
        removed.skipped.push(item.broken());
        let (position, link) = (item.position(), item.link());
        removed.n_receipts += part.remove(connection, now, key).await?;
        let Some(link) = link else { return Ok(()) };
        part = Part { before: position, previous: link, link, items: Vec::new() };
    }
    removed.n_receipts += part.remove(connection, now, key).await?;
    Ok(())
}

/// A part of the chain without a break.
struct Part {
    /// The position before it, and the link there.
    before: i64,
    previous: Digest,
    /// Its last link.
    link: Digest,
    items: Vec<Item>,
}

impl Part {
    /// Puts one checkpoint in its place, unless no receipt is in it. Says how many receipts that removes.
    async fn remove(
        self,
        connection: &mut dyn Connection,
        now: SystemTime,
        key: &SigningKey,
    ) -> Result<usize, ServiceError> {
        let n_removed = self.items.iter().filter(|item| matches!(item, Item::Receipt(_))).count();
        let Some(last) = self.items.last().map(Item::position).filter(|_| 0 < n_removed) else { return Ok(0) };
        let gap = Checkpoint {
            position: last,
            previous: self.previous.0.to_vec(),
            link: self.link.0.to_vec(),
            n_receipts: self.items.iter().map(Item::n_receipts).sum(),
            removed_ms: milliseconds(now),
            code: Vec::new(),
        };
        let code = gap.mac(key).finalize().into_bytes();
        let gone = "DELETE FROM checkpoints WHERE position > $1 AND position <= $2";
        connection.execute(gone, &[self.before.into(), last.into()]).await?;
        // Without its receipt nobody finds an answer, nor knows whose it is.
        let gone = "DELETE FROM kept_answers WHERE number IN \
                    (SELECT number FROM receipts WHERE position > $1 AND position <= $2)";
        connection.execute(gone, &[self.before.into(), last.into()]).await?;
        let gone = "DELETE FROM receipts WHERE position > $1 AND position <= $2";
        connection.execute(gone, &[self.before.into(), last.into()]).await?;
        let kept = "INSERT INTO checkpoints (position, previous, link, n_receipts, removed_ms, code) \
                    VALUES ($1, $2, $3, $4, $5, $6)";
        let values = [
            gap.position.into(),
            gap.previous[..].into(),
            gap.link[..].into(),
            gap.n_receipts.into(),
            gap.removed_ms.into(),
            code[..].into(),
        ];
        connection.execute(kept, &values).await?;
        Ok(n_removed)
    }
}
