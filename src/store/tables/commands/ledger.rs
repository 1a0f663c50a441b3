//! The ledger: event claims, and receipts in a hash chain.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use async_trait::async_trait;

use super::append::{append, append_all};
use super::chain::{ProofRange, ProveError};
use super::intents::{claim, claim_all};
use super::receipts::{digest, entry, of_receipts};
use super::{answers, cooldowns, intents};
use crate::database::Database;
use crate::signing::{NewHead, Signer};
use crate::sql::Connection;
use crate::tables::queues::{due_calls, outbox};
use crate::tables::records;
use crate::tables::words::HeldWords;
use candor_core::contract::ServiceError;
use candor_core::inbound::{Caller, EventId, Place};
use candor_core::record::{LedgerEntry, Origin, Outcome, PublicKey, Receipt, ReceiptId, answer_digest};
use candor_engine::executor::{Beginning, Commit, Committed, Intended, Intent, Ledger, OpenIntent, ReceiptCommit};
use candor_engine::{CrashPoint, LeftOpen, MessageOfReceipt, RECEIPTS_LISTED_MAX, ReceiptBook, ReceiptList};

/// How many numbers are reserved at once. Few enough that ids stay short over many starts, and enough that a
/// reservation costs next to nothing.
const NUMBERS_AT_ONCE: u64 = 64;

/// Selects a caller's receipts in a place, except those of one command, latest start first. The condition on refreshes
/// is worded as in the index, which holds everything that is read before the page.
const NEWEST: &str = of_receipts!(
    "SELECT ",
    "FROM receipts WHERE number IN (SELECT number FROM receipts \
     WHERE caller = $1 AND place = $2 AND command <> $3 AND origin <> 'refreshed' \
     ORDER BY started_ms DESC, number DESC LIMIT $4 OFFSET $5) ORDER BY started_ms DESC, number DESC"
);

/// Counts them, up to the listed maximum.
const TOTAL: &str = "SELECT count(*) FROM (SELECT number FROM receipts \
                     WHERE caller = $1 AND place = $2 AND command <> $3 AND origin <> 'refreshed' LIMIT $4) AS listed";

#[async_trait]
impl Ledger for Database {
    async fn number(&self) -> Result<u64, ServiceError> {
        // Callers that arrive during a reservation wait here and do not reserve again.
        let n_failed = self.numbers.n_failed.load(Ordering::Acquire);
        let mut reserved = self.numbers.reserved.lock().await;
        if reserved.is_empty() {
            // All waiting callers fail together: if each tried in turn, the last would wait for all their timeouts.
            if self.numbers.n_failed.load(Ordering::Acquire) != n_failed {
                return Err(ServiceError::Store("no number was reserved".to_owned()));
            }
            let fresh = self.reserve_numbers().await;
            if fresh.is_err() {
                self.numbers.n_failed.fetch_add(1, Ordering::Release);
            }
            *reserved = fresh?;
        }
        reserved.next().ok_or_else(|| ServiceError::Store("there are no more numbers".to_owned()))
    }

    async fn claim(&self, event: EventId, at: SystemTime) -> Result<bool, ServiceError> {
        self.write(move |connection| Box::pin(claim(connection, event, at))).await
    }

    async fn release(&self, event: EventId) -> Result<(), ServiceError> {
        self.execute(intents::RELEASE_CLAIM, vec![event.0.into()]).await.map(|_| ())
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, ServiceError> {
        let forgotten = self.find_forgotten(&commit.changes).await?;
        let forgets = !forgotten.is_empty();
        let signer = self.signer.clone();
        let appended = self.write(move |connection| Box::pin(all_or_nothing(connection, commit, forgotten, signer)));
        let Appended { value: committed, head } = appended.await?;
        self.publish(head);
        if forgets {
            self.empty_log().await;
        }
        Ok(committed)
    }

    fn is_shared(&self) -> bool {
        self.is_on_a_server()
    }

    fn was_alone(&self) -> bool {
        self.was_alone_on_file()
    }

    async fn begin(&self, intent: Intent) -> Result<Beginning, ServiceError> {
        let lessee = self.lessee;
        self.write(move |connection| Box::pin(intents::begin(connection, intent, lessee))).await
    }

    async fn leave_open(&self, intent: Intent, answer: String) -> Result<(), ServiceError> {
        let lessee = self.lessee;
        self.write(move |connection| Box::pin(intents::insert(connection, intent, Some(answer), lessee))).await
    }

    async fn shown(&self, event: EventId) -> Result<(), ServiceError> {
        self.execute(intents::SHOWN, vec![event.0.into()]).await.map(drop)
    }

    async fn open_intents(&self, left: LeftOpen) -> Result<Vec<OpenIntent>, ServiceError> {
        self.left_open((intents::OPEN, intents::FORGET), left, intents::open).await
    }

    async fn close_intent(&self, event: EventId, receipt: Option<Arc<Receipt>>) -> Result<bool, ServiceError> {
        let signer = self.signer.clone();
        let appended = self.write(move |connection| {
            Box::pin(async move {
                if connection.execute(intents::FORGET, &[event.0.into()]).await? == 0 {
                    return Ok(Appended { value: false, head: None });
                }
                let Some(receipt) = receipt else { return Ok(Appended { value: true, head: None }) };
                let facts = receipt.facts();
                match (facts.origin, facts.outcome) {
                    (Origin::Due, Outcome::Interrupted) => {
                        connection.execute(intents::RELEASE_CLAIM, &[event.0.into()]).await?;
                    }
                    (Origin::Due, _) => {
                        due_calls::was_made(connection, event.due_call(), receipt.id()).await?;
                    }
                    _ => {}
                }
                let head = append(connection, &receipt, signer).await?;
                Ok(Appended { value: true, head })
            })
        });
        let Appended { value: is_closed, head } = appended.await?;
        self.publish(head);
        Ok(is_closed)
    }

    async fn call_again(&self, event: EventId, until: SystemTime) -> Result<(), ServiceError> {
        self.write(move |connection| {
            Box::pin(async move {
                due_calls::put_off(connection, event.due_call(), until).await?;
                connection.execute(intents::FORGET, &[event.0.into()]).await?;
                connection.execute(intents::RELEASE_CLAIM, &[event.0.into()]).await.map(drop)
            })
        })
        .await
    }

    async fn commit_receipts(&self, commits: Vec<ReceiptCommit>) -> Result<bool, ServiceError> {
        let signer = self.signer.clone();
        let appended = self.write(move |connection| {
            Box::pin(async move {
                if !claim_all(connection, commits.iter().map(|commit| (commit.event, commit.at))).await? {
                    connection.undo();
                    return Ok(Appended { value: false, head: None });
                }
                let head = append_all(connection, commits.iter().map(|commit| &*commit.receipt), signer).await?;
                CrashPoint::InCommit.reached();
                Ok(Appended { value: true, head })
            })
        });
        let Appended { value: is_stored, head } = appended.await?;
        self.publish(head);
        Ok(is_stored)
    }

    async fn keep_answer(&self, id: ReceiptId, content: &str, at: SystemTime) -> Result<(), ServiceError> {
        let content = content.to_owned();
        self.write(move |connection| Box::pin(async move { answers::insert(connection, id, &content, at).await })).await
    }
}

/// The result of a transaction, and the head that it signed if it appended receipts.
struct Appended<T> {
    value: T,
    head: Option<NewHead>,
}

/// Performs all parts of a commit. The order is the same everywhere, which avoids deadlocks. The chain comes last,
/// because all other commits wait for it.
async fn all_or_nothing(
    connection: &mut dyn Connection,
    commit: Commit,
    forgotten: Vec<HeldWords>,
    signer: Option<Arc<Signer>>,
) -> Result<Appended<Committed>, ServiceError> {
    let without = |value| Ok(Appended { value, head: None });
    let Commit { event, at, cooldowns, changes, receipt, intent, due } = commit;
    let is_begun = intent != Intended::No;
    let is_ours = match intent {
        Intended::No => claim(connection, event, at).await?,
        Intended::Yes => intents::end(connection, event, receipt.id()).await?,
        Intended::Deferred(answer) => intents::end_deferred(connection, event, receipt.id(), answer).await?,
    };
    if !is_ours {
        // The same commit again: a caller that lost the reply learns that the commit is stored. A receipt of another
        // answer under this number is from a process that took this one for dead and closed its run.
        let stored = "SELECT arguments_salt, digest FROM receipts WHERE number = $1 AND arguments_salt IS NOT NULL";
        let is_stored = match connection.row(stored, &[receipt.id().number().into()]).await? {
            Some(mut row) => {
                let salt: Vec<u8> = row.take()?;
                digest(row.take()?)? == answer_digest(&salt, receipt.digest())
            }
            None => false,
        };
        return without(if is_stored { Committed::Committed } else { Committed::ClaimedBefore });
    }
    // A run with an intent took its cooldowns then: by now another run may hold the next ones.
    let cooldowns = if is_begun { Vec::new() } else { cooldowns };
    if let Some(wait) = cooldowns::take(connection, event, cooldowns, at).await? {
        connection.undo();
        return without(Committed::Wait(wait));
    }
    outbox::insert(connection, &changes, receipt.id(), receipt.facts().caller, at).await?;
    if !due_calls::change(connection, &changes).await? || !records::change(connection, changes, forgotten).await? {
        connection.undo();
        return without(Committed::Conflict);
    }
    let id = receipt.id();
    let is_due = due.is_some();
    let was_made = is_due && due_calls::was_made(connection, event.due_call(), id).await?;
    let head = append(connection, &receipt, signer).await?;
    if let Some(answer) = due.filter(|_| was_made) {
        answers::insert(connection, id, &answer, at).await?;
    }
    CrashPoint::InCommit.reached();
    Ok(Appended { value: Committed::Committed, head })
}

#[async_trait]
impl ReceiptBook for Database {
    async fn find(&self, id: ReceiptId) -> Result<Option<LedgerEntry>, ServiceError> {
        let receipt = of_receipts!("SELECT ", "FROM receipts WHERE number = $1");
        self.row(receipt, vec![id.number().into()]).await?.map(entry).transpose()
    }

    async fn last(&self, caller: &Caller, place: Place, except: &str) -> Result<Option<LedgerEntry>, ServiceError> {
        Ok(self.newest(caller, place, except, 0..1).await?.pop())
    }

    async fn kept_answer(&self, id: ReceiptId) -> Result<Option<String>, ServiceError> {
        let answer = self.row("SELECT content FROM kept_answers WHERE number = $1", vec![id.number().into()]).await?;
        answer.map(|mut row| row.take()).transpose()
    }

    async fn proof(&self, id: ReceiptId) -> Result<Option<String>, ServiceError> {
        match self.prove(ProofRange::One(id)).await {
            Ok(proof) => Ok(Some(proof.to_text())),
            Err(ProveError::Unsigned | ProveError::Unknown(_)) => Ok(None),
            Err(ProveError::Store(problem)) => Err(problem),
            Err(problem) => Err(ServiceError::Store(problem.to_string())),
        }
    }

    fn public_key(&self) -> Option<PublicKey> {
        self.signing_key()
    }

    async fn messages(&self, id: ReceiptId) -> Result<Vec<MessageOfReceipt>, ServiceError> {
        self.messages_of(id).await
    }

    async fn list(
        &self,
        caller: &Caller,
        place: Place,
        except: &str,
        range: Range<u64>,
    ) -> Result<ReceiptList, ServiceError> {
        // Two statements: a receipt added between them is counted or listed with the next page.
        let counted = vec![caller.id.0.into(), place.key().into(), except.into(), RECEIPTS_LISTED_MAX.into()];
        let total = self.row(TOTAL, counted).await?;
        let total = total.map_or(Ok(0), |mut row| row.take())?;
        let range = range.start.min(RECEIPTS_LISTED_MAX)..range.end.min(RECEIPTS_LISTED_MAX);
        Ok(ReceiptList { entries: self.newest(caller, place, except, range).await?, total })
    }
}

impl Database {
    /// Returns the caller's receipts in this place, newest first.
    async fn newest(
        &self,
        caller: &Caller,
        place: Place,
        except: &str,
        range: Range<u64>,
    ) -> Result<Vec<LedgerEntry>, ServiceError> {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let limit = range.end.saturating_sub(range.start);
        let values = vec![
            caller.id.0.into(),
            place.key().into(),
            except.into(),
            number(limit).into(),
            number(range.start).into(),
        ];
        self.rows(NEWEST, values).await?.into_iter().map(entry).collect()
    }

    async fn reserve_numbers(&self) -> Result<Range<u64>, ServiceError> {
        let last = self
            .write(|connection| {
                Box::pin(async move {
                    let reserved = "INSERT INTO sequences (name, last) VALUES ('receipts', $1) ON CONFLICT (name) \
                                    DO UPDATE SET last = sequences.last + excluded.last RETURNING last";
                    connection.value::<u64>(reserved, &[NUMBERS_AT_ONCE.into()]).await
                })
            })
            .await?;
        let last = last.ok_or_else(|| ServiceError::Store("no number was reserved".to_owned()))?;
        Ok(last - NUMBERS_AT_ONCE + 1..last + 1)
    }
}
