//! The database of the store, in SQLite or PostgreSQL, and how statements run in it.

use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant, SystemTime};

use futures_util::future::BoxFuture;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tracing::{error, warn};

use crate::engine::Engine;
use crate::head_file::{HeadFile, keep_aside, newest_head};
#[cfg(feature = "postgres")]
use crate::postgres::{Address, Server, ServerError};
use crate::process_lock::{Alone, ProcessLock};
use crate::signing::{NewHead, Signer};
use crate::sql::{Connection, Param, Row};
use crate::sqlite::{OpenError, SqliteFile};
use candor_core::contract::ServiceError;
use candor_core::record::{Counters, StoreWork};

/// How long a process waits for another one that begins on the same file.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);

/// Reasons why the signed heads cannot be written beside the store.
#[derive(Debug, thiserror::Error)]
pub enum HeadFileError {
    #[error(transparent)]
    Store(#[from] ServiceError),
    #[error("the file of the signed head, `{}`, cannot be used: {problem}", path.display())]
    File { path: PathBuf, problem: io::Error },
}

#[derive(Debug)]
pub struct Database {
    engine: Engine,
    pub(super) numbers: Numbers,
    /// Identifies this process in its leases and in its open work.
    pub(super) lessee: u64,
    /// The processes that run on the file.
    processes: ProcessLock,
    counters: Arc<Counters>,
    /// Signs the receipts that this process appends.
    pub(super) signer: Option<Arc<Signer>>,
    heads: Option<HeadFile>,
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
            signer: None,
            heads: None,
        }
    }

    /// Signs the receipts that are appended from now on.
    pub(super) fn signing(self, signer: Arc<Signer>) -> Self {
        Self { signer: Some(signer), ..self }
    }

    /// Writes each head to this file after its commit. A file whose newest head the chain does not have is copied aside
    /// and logged: the store lost its end, or is another one.
    pub async fn writing_heads(self, path: &Path) -> Result<Self, HeadFileError> {
        let failed = |problem| HeadFileError::File { path: path.to_owned(), problem };
        let mut foreign = None;
        if let Some(head) = newest_head(path).map_err(failed)? {
            let finding = self.compare_head(&head, None).await?;
            foreign = (!finding.is_of_this_chain()).then_some(head);
            if !finding.is_good() {
                let aside = keep_aside(path).map_err(failed)?;
                error!(
                    position = head.head.position,
                    evidence = %aside.display(),
                    "the last signed head {finding}: run `candor receipts verify`"
                );
            }
        }
        let heads = HeadFile::open(path, foreign).map_err(failed)?;
        if let Some(last) = self.last_head().await?
            && self.compare_head(&last, None).await?.is_good()
        {
            heads.write(&last, false);
        }
        Ok(Self { heads: Some(heads), ..self })
    }

    /// Writes a head that was committed beside the store.
    pub(super) fn publish(&self, head: Option<NewHead>) {
        if let (Some(signer), Some(head)) = (&self.signer, head) {
            signer.committed(&head);
            if let Some(heads) = &self.heads {
                heads.write(&head.signed, head.is_cut);
            }
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
