//! Removes old receipts, with a checkpoint in their place, and removes the arguments of those that stay.

use std::sync::Arc;
use std::time::SystemTime;

use hmac::Mac as _;
use tracing::warn;

use crate::database::Database;
use crate::signing::Signer;
use crate::sql::Connection;
use crate::tables::commands::chain::item::{ChainBreak, Checkpoint, Item, checkpoint, of_checkpoints, receipt};
use crate::tables::commands::chain::trust::{KEY, Trust};
use crate::tables::commands::receipts::{digest, of_receipts};
use crate::tables::words::TAKEN_OUT;
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;
use candor_core::record::{Digest, milliseconds};
use candor_engine::{Secrets as _, SigningKey};

/// Receipts removed or changed in one transaction: a command that ends meanwhile waits for it.
const CHANGED_AT_ONCE: usize = 100;

/// Removes the arguments of the receipts between two positions, but not those of the operator's own commands, whose names
/// have no slash: they say which store replaced which.
const TAKE_OUT: &str = "UPDATE receipts SET arguments = NULL, arguments_salt = NULL \
                        WHERE position > $1 AND position <= $2 AND started_ms < $3 AND substr(command, 1, 1) = '/' \
                        AND arguments IS NOT NULL AND arguments_digest IS NOT NULL";

/// The same for one caller.
const TAKE_OUT_OF: &str = "UPDATE receipts SET arguments = NULL, arguments_salt = NULL \
                           WHERE position > $1 AND position <= $2 AND started_ms < $3 AND caller = $4 \
                           AND substr(command, 1, 1) = '/' AND arguments IS NOT NULL AND arguments_digest IS NOT NULL";

/// The two kinds of receipts, which have different retention periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptKind {
    /// Receipts of commands that a person or a model called.
    Called,
    /// Receipts of commands that the host runs repeatedly to refresh a live message.
    Refreshed,
}

impl Database {
    /// Deletes a batch of the receipts from before a moment, oldest first, and returns how many. The newest receipt of
    /// all stays, because the chain continues from it. Those of the operator's commands stay, because they explain heads
    /// that the chain does not have. Receipts that were tampered with stay as well, and the log names
    /// them.
    pub async fn remove_receipts(
        &self,
        kind: ReceiptKind,
        before: SystemTime,
        now: SystemTime,
    ) -> Result<usize, ServiceError> {
        let maker = CheckpointMaker {
            mac: self.key(KEY).await?,
            trust: self.trust(self.signer.as_ref().map(|signer| signer.key.public())).await?,
            signer: self.signer.clone(),
            now,
        };
        if maker.trust.is_signed() && maker.signer.is_none() {
            return Err(ServiceError::Store(
                "receipts are removed only with the key that signs checkpoints".to_owned(),
            ));
        }
        let removed = self
            .write(move |connection| Box::pin(async move { remove(connection, kind, before, &maker).await }))
            .await?;
        if let Some(first) = removed.skipped.first() {
            warn!(skipped = removed.skipped.len(), first = %first, "changed receipts are not removed");
        }
        Ok(removed.n_receipts)
    }

    /// Redacts the arguments of the receipts from before a moment, of one caller or of all, in batches. Returns how
    /// many receipts changed. The chain still verifies. Receipts from before arguments could be redacted keep theirs.
    pub async fn take_out_arguments(&self, before: SystemTime, user: Option<UserId>) -> Result<u64, ServiceError> {
        // Each batch begins behind the last, so that no row is read twice. The search runs outside the write, so that
        // other writers do not wait.
        let mut n_receipts = 0;
        let mut after = i64::MIN;
        loop {
            let batch = self.with_arguments(after, before, user).await?;
            let Some((last, _)) = batch.last().copied() else { return Ok(n_receipts) };
            if batch.iter().any(|(_, has_arguments)| *has_arguments) {
                let (statement, values) = match user {
                    None => (TAKE_OUT, vec![after.into(), last.into(), before.into()]),
                    Some(user) => (TAKE_OUT_OF, vec![after.into(), last.into(), before.into(), user.0.into()]),
                };
                n_receipts += self
                    .write(move |connection| {
                        Box::pin(async move {
                            // Appending and removing take the same lock, which avoids deadlocks.
                            connection.lock("receipts").await?;
                            connection.execute(statement, &values).await
                        })
                    })
                    .await?;
            }
            after = last;
        }
    }

    /// Returns the positions of the next receipts, and whether each has arguments that can be redacted.
    async fn with_arguments(
        &self,
        after: i64,
        before: SystemTime,
        user: Option<UserId>,
    ) -> Result<Vec<(i64, bool)>, ServiceError> {
        let next = "SELECT position, CAST(CASE WHEN arguments IS NOT NULL AND arguments_digest IS NOT NULL \
                    AND started_ms < $1 THEN 1 ELSE 0 END AS BIGINT) \
                    FROM receipts WHERE position > $2 ORDER BY position LIMIT $3";
        let next_of = "SELECT position, CAST(CASE WHEN arguments IS NOT NULL AND arguments_digest IS NOT NULL \
                       AND started_ms < $1 THEN 1 ELSE 0 END AS BIGINT) \
                       FROM receipts WHERE position > $2 AND caller = $3 ORDER BY position LIMIT $4";
        let (statement, values) = match user {
            None => (next, vec![before.into(), after.into(), CHANGED_AT_ONCE.into()]),
            Some(user) => (next_of, vec![before.into(), after.into(), user.0.into(), CHANGED_AT_ONCE.into()]),
        };
        let rows = self.rows(statement, values).await?;
        rows.into_iter().map(|mut row| Ok((row.take()?, row.take::<i64>()? == 1))).collect()
    }

    /// Redacts the arguments of the runs under way that began before a moment, of one caller or of all. Returns how
    /// many.
    pub async fn take_out_intended(&self, before: SystemTime, user: Option<UserId>) -> Result<u64, ServiceError> {
        let taken_out = "UPDATE intents SET arguments = $1 WHERE arguments <> $1 AND begun_ms < $2 \
                         AND ($3 IS NULL OR caller = $3)";
        let user = user.map(|user| user.0.cast_signed());
        self.execute(taken_out, vec![TAKEN_OUT.into(), before.into(), user.into()]).await
    }
}

/// Adjacent receipts to be removed together, and the item before them.
struct Run {
    before: i64,
    previous: Digest,
    items: Vec<Item>,
    last: i64,
}

struct Removed {
    n_receipts: usize,
    /// Items that do not fit their place and stay.
    skipped: Vec<ChainBreak>,
}

/// What checkpoints are verified and made with.
struct CheckpointMaker {
    /// For a store that was never opened with a key.
    mac: SigningKey,
    trust: Trust,
    signer: Option<Arc<Signer>>,
    now: SystemTime,
}

/// Removes the oldest receipts of a kind from before a moment that fit their place.
async fn remove(
    connection: &mut dyn Connection,
    kind: ReceiptKind,
    before: SystemTime,
    maker: &CheckpointMaker,
) -> Result<Removed, ServiceError> {
    let old = match kind {
        ReceiptKind::Called => of_receipts!(
            "SELECT started_ms, (SELECT max(position) FROM receipts AS b WHERE b.position < a.position), \
             (SELECT link FROM receipts AS b WHERE b.position < a.position ORDER BY position DESC LIMIT 1), \
             position, link, arguments_salt, arguments_digest, number, ",
            "FROM receipts AS a WHERE origin <> 'refreshed' AND started_ms < $1 AND substr(command, 1, 1) = '/' \
             AND (started_ms > $2 OR started_ms = $2 AND position > $3) \
             AND position < (SELECT max(position) FROM receipts) ORDER BY started_ms, position LIMIT $4"
        ),
        ReceiptKind::Refreshed => of_receipts!(
            "SELECT started_ms, (SELECT max(position) FROM receipts AS b WHERE b.position < a.position), \
             (SELECT link FROM receipts AS b WHERE b.position < a.position ORDER BY position DESC LIMIT 1), \
             position, link, arguments_salt, arguments_digest, number, ",
            "FROM receipts AS a WHERE origin = 'refreshed' AND started_ms < $1 \
             AND (started_ms > $2 OR started_ms = $2 AND position > $3) \
             AND position < (SELECT max(position) FROM receipts) ORDER BY started_ms, position LIMIT $4"
        ),
    };
    // Appending takes the same lock, so that no receipt is added meanwhile.
    connection.lock("receipts").await?;
    let mut removed = Removed { n_receipts: 0, skipped: Vec::new() };
    // Continues behind those that were skipped.
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
            let before: Option<i64> = row.take()?;
            let previous: Option<Vec<u8>> = row.take()?;
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
            remove_run(connection, run, maker, &mut removed).await?;
        }
    }
    Ok(removed)
}

/// Removes adjacent receipts with the gaps beside them. Items that do not fit their place stay. If such an item has no
/// readable link, the items behind it stay too.
async fn remove_run(
    connection: &mut dyn Connection,
    Run { before, previous, mut items, last }: Run,
    maker: &CheckpointMaker,
    removed: &mut Removed,
) -> Result<(), ServiceError> {
    let next = "SELECT min(position) FROM receipts WHERE position > $1";
    let next = connection.value::<Option<i64>>(next, &[last.into()]).await?.flatten().unwrap_or(i64::MAX);
    let gaps = of_checkpoints!("WHERE position > $1 AND position < $2");
    for gap in connection.rows(gaps, &[before.into(), next.into()]).await? {
        items.push(Item::Gap(checkpoint(gap)?));
    }
    items.sort_by_key(Item::position);
    let mut part = Stretch { before, previous, link: previous, items: Vec::new() };
    for item in items {
        if let Some(link) = item.follows(part.link, &maker.trust) {
            part.link = link;
            part.items.push(item);
            continue;
        }
        removed.skipped.push(item.broken());
        let position = item.position();
        let link = item.link();
        removed.n_receipts += part.remove(connection, maker).await?;
        let Some(link) = link else { return Ok(()) };
        part = Stretch { before: position, previous: link, link, items: Vec::new() };
    }
    removed.n_receipts += part.remove(connection, maker).await?;
    Ok(())
}

struct Stretch {
    /// The position before the stretch. `previous` is the link there.
    before: i64,
    previous: Digest,
    link: Digest,
    items: Vec<Item>,
}

impl Stretch {
    /// Replaces the stretch by one checkpoint, unless it contains no receipt. Returns how many receipts that removes.
    async fn remove(self, connection: &mut dyn Connection, maker: &CheckpointMaker) -> Result<usize, ServiceError> {
        let n_removed = self.items.iter().filter(|item| matches!(item, Item::Receipt(_))).count();
        let Some(last) = self.items.last().map(Item::position).filter(|_| 0 < n_removed) else { return Ok(0) };
        let gap = Checkpoint {
            position: last,
            previous: self.previous.0.to_vec(),
            link: self.link.0.to_vec(),
            n_receipts: self.items.iter().map(Item::n_receipts).sum(),
            removed_ms: milliseconds(maker.now),
            code: Vec::new(),
            signed: None,
        };
        let code = gap.mac(&maker.mac).finalize().into_bytes();
        let signer = maker.signer.as_ref();
        let signature = signer.and_then(|signer| gap.removal()?.signed(signer.store, &signer.key));
        let gone = "DELETE FROM checkpoints WHERE position > $1 AND position <= $2";
        connection.execute(gone, &[self.before.into(), last.into()]).await?;
        // An answer without its receipt cannot be found and has no known owner. The same holds for messages to channels
        // that are over. A waiting message is sent first and is removed when it is over.
        let gone = "DELETE FROM kept_answers WHERE number IN \
                    (SELECT number FROM receipts WHERE position > $1 AND position <= $2)";
        connection.execute(gone, &[self.before.into(), last.into()]).await?;
        let gone = "DELETE FROM outbox WHERE next_ms IS NULL AND receipt IN \
                    (SELECT number FROM receipts WHERE position > $1 AND position <= $2)";
        connection.execute(gone, &[self.before.into(), last.into()]).await?;
        let gone = "DELETE FROM receipts WHERE position > $1 AND position <= $2";
        connection.execute(gone, &[self.before.into(), last.into()]).await?;
        // The first head there may sign the receipt before the stretch, too, unless a head stands at that receipt.
        let gone = "DELETE FROM heads WHERE position > $1 AND position <= $2 AND \
                    ($1 = 0 OR position > (SELECT min(position) FROM heads WHERE position >= $1))";
        connection.execute(gone, &[self.before.into(), last.into()]).await?;
        let kept = "INSERT INTO checkpoints (position, previous, link, n_receipts, removed_ms, code, key, signature) \
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let values = [
            gap.position.into(),
            gap.previous[..].into(),
            gap.link[..].into(),
            gap.n_receipts.into(),
            gap.removed_ms.into(),
            code[..].into(),
            signer.map(|signer| signer.key.public().0.to_vec()).into(),
            signature.map(|signature| signature.0.to_vec()).into(),
        ];
        connection.execute(kept, &values).await?;
        Ok(n_removed)
    }
}
