//! A thread that owns an SQLite connection and runs the operations in its queue.
//!
//! The writer commits waiting operations together: one synced write to the disk for all. Each has a savepoint, so that
//! a failure does not affect the others. Each caller is woken once, when its result is on the disk. `docs/store.md` has
//! the measurements.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};
use std::{io, thread};

use futures_util::FutureExt as _;
use tokio::sync::mpsc::error::{SendTimeoutError, TrySendError};
use tokio::sync::{mpsc, oneshot};
use tracing::{debug, warn};

use super::connection::{FileConnection, service_error};
use crate::sql::{Cause, TransactionFn};
use candor_core::contract::ServiceError;

/// How many operations wait in a queue, and so the maximum committed together.
const WAITING_MAX: usize = 256;

/// How long a call waits for a place in a full queue.
const PLACE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long after a failed try to empty the log it is tried again, at the next commit.
const LOG_AGAIN: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Worker(mpsc::Sender<Order>);

enum Order {
    Do(Box<dyn Job>),
    /// Empties the write-ahead log once all operations before it are committed. Signals that it was tried.
    EmptyLog(oneshot::Sender<()>),
    Close(oneshot::Sender<()>),
}

pub(super) type Serve = fn(&mut FileConnection, VecDeque<Box<dyn Job>>);

impl Worker {
    pub(super) fn start(name: &str, connection: FileConnection, serve: Serve) -> io::Result<Self> {
        let (sender, queue) = mpsc::channel(WAITING_MAX);
        thread::Builder::new().name(name.to_owned()).spawn(move || run(connection, queue, serve))?;
        Ok(Self(sender))
    }

    /// Runs work and waits for its result.
    pub(super) async fn done<T: Send + 'static>(&self, work: TransactionFn<T>) -> Result<T, ServiceError> {
        let (caller, answer) = oneshot::channel();
        let order = Order::Do(Box::new(PendingWork { work: Some(work), result: None, caller }));
        let refused = match self.0.try_send(order) {
            Ok(()) => None,
            Err(TrySendError::Closed(_)) => Some(Cause::Closed),
            Err(TrySendError::Full(order)) => match self.0.send_timeout(order, PLACE_TIMEOUT).await {
                Ok(()) => None,
                Err(SendTimeoutError::Closed(_)) => Some(Cause::Closed),
                Err(SendTimeoutError::Timeout(_)) => Some(Cause::Crowded),
            },
        };
        match refused {
            Some(cause) => Err(cause.told("")),
            None => answer.await.unwrap_or_else(|_| Err(Cause::Closed.told(""))),
        }
    }

    /// Empties the write-ahead log into the file. If another process is reading the store, this happens after a later
    /// commit.
    pub(super) async fn empty_log(&self) {
        self.end(Order::EmptyLog).await;
    }

    /// Runs the waiting operations and closes the connection.
    pub(super) async fn close(&self) {
        self.end(Order::Close).await;
    }

    /// Waits for an order that runs after all operations before it.
    async fn end(&self, order: fn(oneshot::Sender<()>) -> Order) {
        let (done, is_done) = oneshot::channel();
        if self.0.send(order(done)).await.is_ok() {
            let _over_either_way = is_done.await;
        }
    }
}

fn run(mut connection: FileConnection, mut queue: mpsc::Receiver<Order>, serve: Serve) {
    let mut waiting = VecDeque::new();
    // The time of the last failed try to empty the log.
    let mut full_log: Option<Instant> = None;
    while let Some(order) = queue.blocking_recv() {
        let mut next = Some(order);
        let mut last = None;
        while let Some(order) = next.take() {
            match order {
                Order::Do(job) => waiting.push_back(job),
                Order::EmptyLog(_) | Order::Close(_) => {
                    last = Some(order);
                    break;
                }
            }
            if waiting.len() < WAITING_MAX {
                next = queue.try_recv().ok();
            }
        }
        serve(&mut connection, std::mem::take(&mut waiting));
        if matches!(last, Some(Order::EmptyLog(_))) || full_log.is_some_and(|tried| LOG_AGAIN <= tried.elapsed()) {
            let is_empty = connection.empty_log();
            full_log = (!matches!(is_empty, Ok(true))).then(Instant::now);
            if full_log.is_some() {
                debug!(result = ?is_empty, "the write-ahead log could not be emptied; trying again later");
            }
        }
        match last {
            Some(Order::EmptyLog(done)) => drop(done.send(())),
            Some(Order::Close(closed)) => {
                drop(queue);
                drop(connection);
                let _nobody_waits_any_more = closed.send(());
                return;
            }
            Some(Order::Do(_)) | None => {}
        }
    }
}

/// Runs each job separately: they only read.
pub(super) fn read_each(connection: &mut FileConnection, waiting: VecDeque<Box<dyn Job>>) {
    for mut job in waiting {
        // The caller receives the failure with its answer.
        let _told = job.run(connection);
        job.answer(None);
    }
}

/// Runs all jobs in one transaction, and answers every caller once it is committed.
pub(super) fn commit_together(connection: &mut FileConnection, mut waiting: VecDeque<Box<dyn Job>>) {
    while !waiting.is_empty() {
        let mut ran = Vec::with_capacity(waiting.len());
        let lost = committed(connection, &mut waiting, &mut ran).err();
        if lost.is_some() && connection.is_in_transaction() {
            end_transaction(connection);
        }
        // Jobs that did not run because the transaction did not begin fail as well.
        if ran.is_empty() {
            ran.extend(waiting.drain(..));
        }
        for job in ran {
            job.answer(lost.as_ref());
        }
    }
}

/// Rolls a lost transaction back. A connection that cannot would refuse every later one, so it is reopened, and SQLite
/// undoes the old one's changes.
fn end_transaction(connection: &mut FileConnection) {
    let Err(problem) = connection.command("ROLLBACK") else { return };
    if !connection.is_in_transaction() {
        return;
    }
    match connection.open_anew() {
        Ok(()) => warn!(error = %problem, "a transaction could not be ended; the store's file was reopened"),
        Err(reason) => {
            warn!(error = %problem, %reason, "a transaction could not be ended, and the store's file could not be reopened")
        }
    }
}

/// Runs waiting jobs in one transaction and commits it. Moves each job that ran to `ran`, even if all are lost. If the
/// transaction is lost half-way, the rest stays in `waiting`.
fn committed(
    connection: &mut FileConnection,
    waiting: &mut VecDeque<Box<dyn Job>>,
    ran: &mut Vec<Box<dyn Job>>,
) -> Result<(), ServiceError> {
    let told = |error: rusqlite::Error| service_error(&error);
    // Takes the file's write lock at once: a transaction that read first and took the lock later could be refused
    // half-way.
    connection.command("BEGIN IMMEDIATE").map_err(told)?;
    while let Some(mut job) = waiting.pop_front() {
        connection.is_undone = false;
        let began = connection.command("SAVEPOINT job");
        let done = began.map_err(told).and_then(|()| job.run(connection));
        ran.push(job);
        if !connection.is_in_transaction() {
            // Most likely, the disk is full.
            return Err(done.err().unwrap_or_else(|| ServiceError::Store(String::new())));
        }
        if done.is_err() || connection.is_undone {
            connection.command("ROLLBACK TO job").map_err(told)?;
        }
        connection.command("RELEASE job").map_err(told)?;
    }
    connection.command("COMMIT").map_err(told)
}

/// A requested `TransactionFn` with any result type.
pub(super) trait Job: Send {
    /// Runs the work. Returns the reason of a failure; the caller gets it with its answer.
    fn run(&mut self, connection: &mut FileConnection) -> Result<(), ServiceError>;
    /// Answers the caller. `lost` is the reason why the transaction was lost.
    fn answer(self: Box<Self>, lost: Option<&ServiceError>);
}

/// A `TransactionFn`, its result once it is done, and its waiting caller.
struct PendingWork<T> {
    work: Option<TransactionFn<T>>,
    result: Option<Result<T, ServiceError>>,
    caller: oneshot::Sender<Result<T, ServiceError>>,
}

impl<T: Send> Job for PendingWork<T> {
    fn run(&mut self, connection: &mut FileConnection) -> Result<(), ServiceError> {
        // No operation waits on this connection, so the work ends at once. A panic in it must not end the thread and
        // with it the store for all others.
        let work = self.work.take();
        let work = AssertUnwindSafe(move || work.and_then(|work| work(connection).now_or_never()));
        let result = panic::catch_unwind(work).ok().flatten();
        let result = result.unwrap_or_else(|| Err(ServiceError::Store("its work did not end".to_owned())));
        let told = result.as_ref().map(drop).map_err(as_of_others);
        self.result = Some(result);
        told
    }

    fn answer(self: Box<Self>, lost: Option<&ServiceError>) {
        let answer = match (self.result, lost) {
            (Some(Err(failed)), _) => Err(failed),
            (_, Some(lost)) => Err(lost.clone()),
            (Some(done), None) => done,
            (None, None) => Err(Cause::Closed.told("")),
        };
        // The caller may have stopped waiting.
        drop(self.caller.send(answer));
    }
}

/// Returns the error for callers whose work was lost together with the work that failed.
fn as_of_others(error: &ServiceError) -> ServiceError {
    match error {
        ServiceError::Store(_) | ServiceError::DiskFull => error.clone(),
        other => ServiceError::Store(other.to_string()),
    }
}
