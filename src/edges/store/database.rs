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

use crate::edges::store::engine::Engine;
use crate::edges::store::postgres::{Address, Server, ServerError};
use crate::edges::store::process_lock::{Alone, ProcessLock};
use crate::edges::store::sql::{Connection, Param, Row};
use crate::edges::store::sqlite::{OpenError, SqliteFile};
use candor_core::contract::ServiceError;
use candor_core::record::{Counters, StoreWork};

/// How long a process waits for another one that is just beginning on the same file.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);

/// The store of a bot, in one of the engines.
#[derive(Debug)]
pub struct Database {
    engine: Engine,
    /// The numbers for receipts.
    pub(super) numbers: Numbers,
    /// Tells this process from others in the leases that it holds and in what it has open.
    pub(super) lessee: u64,
    /// Which processes run on the file.
    processes: ProcessLock,
    /// Where failures and times are counted.
    counters: Arc<Counters>,
}

/// The numbers that are reserved for receipts.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Those that are not given out yet.
    pub(super) reserved: Mutex<Range<u64>>,
    /// How often none could be reserved.
    pub(super) n_failed: AtomicU64,
}

impl Database {
    /// Opens the store in an SQLite file, and creates the file and its folder if there is none.
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
    pub async fn open_server(address: &Address) -> Result<Self, ServerError> {
        Ok(Self::new(Engine::Server(Server::open(address).await?)))
    }

    /// Opens an existing store in an SQLite file, also while a bot runs, without creating or migrating it. Without
    /// `may_write`, every write fails.
    pub async fn open_existing_file(path: &Path, may_write: bool) -> Result<Self, OpenError> {
        Ok(Self::new(Engine::File(SqliteFile::open_existing(path, may_write).await?)))
    }

    /// Opens an existing store in a PostgreSQL database without creating or migrating it. Without `may_write`, every
    /// write fails.
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

    /// The same store, counting its failures and times here.
    #[must_use]
    pub fn counting(self, counters: Arc<Counters>) -> Self {
        Self { counters, ..self }
    }

    /// Writes everything to the disk and closes the store. Later calls fail.
    pub async fn close(&self) {
        self.engine.close().await;
        self.processes.release();
    }

    /// Takes what was deleted out of the write-ahead log, where it stands after it was overwritten in the file. If another
    /// process reads the file at this moment, that is done after a later commit.
    pub async fn empty_log(&self) {
        self.engine.empty_log().await;
    }

    /// Whether it is in a database on a server, which any number of processes use.
    pub(super) fn is_on_a_server(&self) -> bool {
        matches!(self.engine, Engine::Server(_))
    }

    /// Whether all processes that ran on the file before this one have ended.
    pub(super) fn was_alone_on_file(&self) -> bool {
        self.processes.was_alone()
    }

    /// Looks whether all processes that ran on the file before this one have ended, if that is not known.
    pub(super) async fn look_whether_alone(&self) -> Result<(), ServiceError> {
        match self.processes.alone_now() {
            Some(alone) => self.begin_alone(alone).await,
            None => Ok(()),
        }
    }

    /// Takes over what earlier processes left, before another one can begin.
    async fn begin_alone(&self, alone: Alone) -> Result<(), ServiceError> {
        self.inherit().await?;
        self.processes.remember(alone);
        Ok(())
    }

    /// Does work that writes, in one transaction: all of it, or nothing if it fails. It stays when this returns.
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

    /// Counts a failure, but for what was refused because a limit was reached.
    fn count_failure(&self, work: StoreWork, problem: &ServiceError) {
        if matches!(problem, ServiceError::Store(_) | ServiceError::DiskFull) {
            self.counters.store_failures.count(work);
        }
    }

    /// Runs one statement that writes, and returns how many rows it changed.
    pub(super) async fn execute(&self, statement: &'static str, values: Vec<Param>) -> Result<u64, ServiceError> {
        self.write(move |connection| Box::pin(async move { connection.execute(statement, &values).await })).await
    }

    /// Reads rows with one statement.
    pub(super) async fn rows(&self, statement: &'static str, values: Vec<Param>) -> Result<Vec<Row>, ServiceError> {
        let read = self
            .engine
            .read(Box::new(move |connection| Box::pin(async move { connection.rows(statement, &values).await })))
            .await;
        read.inspect_err(|problem| self.count_failure(StoreWork::Read, problem))
    }

    /// Reads the first row.
    pub(super) async fn row(&self, statement: &'static str, values: Vec<Param>) -> Result<Option<Row>, ServiceError> {
        Ok(self.rows(statement, values).await?.into_iter().next())
    }
}
