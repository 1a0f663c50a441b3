//! The database of the store, in SQLite or PostgreSQL, and how statements run in it.

use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant, SystemTime};

use futures_util::future::BoxFuture;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tracing::warn;

use crate::engine::Engine;
#[cfg(feature = "postgres")]
use crate::postgres::{Address, Server, ServerError};
use crate::process_lock::{Alone, ProcessLock};
use crate::sql::{Connection, Param, Row};
use crate::sqlite::{OpenError, SqliteFile};
use candor_core::contract::ServiceError;
use candor_core::record::{Counters, StoreWork};

/// How long a process waits for another one that begins on the same file.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct Database {
    engine: Engine,
    pub(super) numbers: Numbers,
    /// Identifies this process in its leases and in its open work.
    pub(super) lessee: u64,
    /// The processes that run on the file.
    processes: ProcessLock,
    counters: Arc<Counters>,
}

#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) reserved: Mutex<Range<u64>>,
    pub(super) n_failed: AtomicU64,
}

impl Database {
    /// Opens the store in an SQLite file. Creates the file and its folder if they are missing.
    pub async fn open_file(path: &Path) -> Result<Self, OpenError> {
        let mut database = Self::new(Engine::File(SqliteFile::open(path).await?));
        let named = path.to_owned();
        let locked = tokio::task::spawn_blocking(move || ProcessLock::beside(&named));
        match timeout(TURN_TIMEOUT, locked).await.map(|locked| locked.map_err(io::Error::other).flatten()) {
            Ok(Ok((processes, alone))) => {
                database.processes = processes;
                if let Some(alone) = alone
                    && let Err(problem) = database.begin_alone(alone).await
                {
                    warn!(error = %problem, "what earlier processes left is found later");
                }
            }
            Ok(Err(problem)) => warn!(error = %problem, "the file beside the store could not be locked"),
            Err(_) => warn!("another process holds the lock beside the store in which each takes its turn"),
        }
        Ok(database)
    }

    /// Opens the store in a PostgreSQL database, which other processes may use at the same time.
    #[cfg(feature = "postgres")]
    pub async fn open_server(address: &Address) -> Result<Self, ServerError> {
        Ok(Self::new(Engine::Server(Server::open(address).await?)))
    }

    /// Opens an existing store in an SQLite file, even while a bot runs, without creating or migrating it. Without
    /// `may_write`, every write fails.
    pub async fn open_existing_file(path: &Path, may_write: bool) -> Result<Self, OpenError> {
        Ok(Self::new(Engine::File(SqliteFile::open_existing(path, may_write).await?)))
    }

    /// Opens an existing store in a PostgreSQL database without creating or migrating it. Without `may_write`, every
    /// write fails.
    #[cfg(feature = "postgres")]
    pub async fn open_existing_server(address: &Address, may_write: bool) -> Result<Self, ServerError> {
        Ok(Self::new(Engine::Server(Server::open_existing(address, may_write).await?)))
    }

    fn new(engine: Engine) -> Self {
        Self {
            engine,
            numbers: Numbers::default(),
            // The keys of a new hasher are random.
            lessee: RandomState::new().hash_one(SystemTime::now()),
            processes: ProcessLock::default(),
            counters: Arc::default(),
        }
    }

    /// Counts the store's failures and times in these counters.
    #[must_use]
    pub fn counting(self, counters: Arc<Counters>) -> Self {
        Self { counters, ..self }
    }

    /// Writes everything to the disk and closes the store. Later calls fail.
    pub async fn close(&self) {
        self.engine.close().await;
        self.processes.release();
    }

    /// Removes deleted data from the write-ahead log, which keeps it after it was overwritten in the file. If another
    /// process is reading the file, this happens after a later commit.
    pub async fn empty_log(&self) {
        self.engine.empty_log().await;
    }

    /// Whether the store is in a database on a server, which any number of processes use.
    pub(super) fn is_on_a_server(&self) -> bool {
        self.engine.is_a_server()
    }

    /// Whether all processes that ran on the file before this one have ended.
    pub(super) fn was_alone_on_file(&self) -> bool {
        self.processes.was_alone()
    }

    /// Checks whether all processes that ran on the file before this one have ended, if that is not known yet.
    pub(super) async fn look_whether_alone(&self) -> Result<(), ServiceError> {
        match self.processes.alone_now() {
            Some(alone) => self.begin_alone(alone).await,
            None => Ok(()),
        }
    }

    /// Takes over the work of earlier processes before another one can begin.
    async fn begin_alone(&self, alone: Alone) -> Result<(), ServiceError> {
        self.inherit().await?;
        self.processes.remember(alone);
        Ok(())
    }

    /// Runs work that writes, in one transaction. Its changes are durable when this returns; if it fails, nothing is
    /// changed.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl for<'c> FnOnce(&'c mut dyn Connection) -> BoxFuture<'c, Result<T, ServiceError>> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let began = Instant::now();
        let written = self.engine.write(Box::new(work)).await;
        match &written {
            Ok(_) => self.counters.store_writes.took(began.elapsed()),
            Err(problem) => self.count_failure(StoreWork::Write, problem),
        }
        written
    }

    /// Counts a failure, unless it only says that a limit was reached.
    fn count_failure(&self, work: StoreWork, problem: &ServiceError) {
        if matches!(problem, ServiceError::Store(_) | ServiceError::DiskFull) {
            self.counters.store_failures.count(work);
        }
    }

    pub(super) async fn execute(&self, statement: &'static str, values: Vec<Param>) -> Result<u64, ServiceError> {
        self.write(move |connection| Box::pin(async move { connection.execute(statement, &values).await })).await
    }

    pub(super) async fn rows(&self, statement: &'static str, values: Vec<Param>) -> Result<Vec<Row>, ServiceError> {
        let read = self
            .engine
            .read(Box::new(move |connection| Box::pin(async move { connection.rows(statement, &values).await })))
            .await;
        read.inspect_err(|problem| self.count_failure(StoreWork::Read, problem))
    }

    pub(super) async fn row(&self, statement: &'static str, values: Vec<Param>) -> Result<Option<Row>, ServiceError> {
        Ok(self.rows(statement, values).await?.into_iter().next())
    }
}
