//! Opens the SQLite file, and holds its connections: one writes, a few read.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use sqlx::query::Query;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqlitePoolOptions, SqliteQueryResult, SqliteRow, SqliteSynchronous,
};
use sqlx::{Connection as _, SqlitePool, Transaction, query, query_as, query_scalar};
use tracing::warn;

use crate::edges::store::sqlite::cause::service_error;
use crate::edges::store::sqlite::migrations;
use crate::edges::store::sqlite::open_error::OpenError;
use candor_core::contract::ServiceError;

/// How long a statement waits for another process to release the lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a call waits for a connection.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads are short and the file is in memory: more connections would only wait for each other.
const READERS: u32 = 2;

/// The store in one SQLite file.
#[derive(Debug)]
pub struct Sqlite {
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
}

/// A statement with its values.
type Statement<'q> = Query<'q, sqlx::Sqlite, SqliteArguments>;

/// Reads a row.
type Read<T> = fn(&SqliteRow) -> Result<T, sqlx::Error>;

impl Sqlite {
    /// Opens the store, and creates the file and its folder if there is none. Checks that the file is sound, and
    /// migrates it.
    pub async fn open(path: &Path) -> Result<Self, OpenError> {
        // SQLite takes `:memory:`, `file:…` and the empty name for something else than a file; an absolute
        // path is none of them.
        let absolute = std::path::absolute(path).map_err(|problem| OpenError::of_file(path, &problem))?;
        create_missing(path, &absolute)?;
        let options = SqliteConnectOptions::new()
            .filename(&absolute)
            .busy_timeout(BUSY_TIMEOUT)
            .foreign_keys(true)
            .synchronous(SqliteSynchronous::Full)
            // What `/clear` deletes is overwritten in the file, not only marked as free.
            .pragma("secure_delete", "ON");

        let writer = pool(1).connect_with(options.clone()).await.map_err(|problem| OpenError::of(path, &problem))?;
        let readers = match prepare(path, &writer).await {
            Ok(()) => pool(READERS)
                .connect_with(options.read_only(true))
                .await
                .map_err(|problem| OpenError::of(path, &problem)),
            Err(problem) => Err(problem),
        };
        match readers {
            Ok(readers) => Ok(Self { writer, readers }),
            Err(problem) => {
                writer.close().await;
                Err(problem)
            }
        }
    }

    /// Writes everything into the one file and closes it. Later calls fail.
    pub async fn close(&self) {
        self.readers.close().await;
        let checkpoint = query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&self.writer).await;
        if let Err(problem) = checkpoint.map_err(service_error) {
            warn!(error = %problem, "the store is closed with its log beside it; nothing is lost, keep both files");
        }
        self.writer.close().await;
    }

    /// Runs one statement that writes.
    pub(crate) async fn write(&self, statement: Statement<'_>) -> Result<SqliteQueryResult, ServiceError> {
        statement.execute(&self.writer).await.map_err(service_error)
    }

    /// Reads at most one row.
    pub(crate) async fn read_one<T>(&self, rows: Statement<'_>, read: Read<T>) -> Result<Option<T>, ServiceError> {
        let row = rows.fetch_optional(&self.readers).await;
        row.and_then(|row| row.as_ref().map(read).transpose()).map_err(service_error)
    }

    /// Reads every row.
    pub(crate) async fn read_all<T>(&self, rows: Statement<'_>, read: Read<T>) -> Result<Vec<T>, ServiceError> {
        let rows = rows.fetch_all(&self.readers).await;
        rows.and_then(|rows| rows.iter().map(read).collect()).map_err(service_error)
    }

    /// Begins a write of several statements. Takes the file's write lock at once: a transaction that read first and
    /// asked for the lock later could be refused half-way.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, sqlx::Sqlite>, ServiceError> {
        self.writer.begin_with("BEGIN IMMEDIATE").await.map_err(service_error)
    }
}

/// Creates the folder, and the file with access for its owner only: it holds conversations. SQLite gives the files
/// beside it the same rights.
fn create_missing(path: &Path, absolute: &Path) -> Result<(), OpenError> {
    if let Some(folder) = absolute.parent() {
        std::fs::create_dir_all(folder).map_err(|problem| OpenError::of_folder(path, &problem))?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(absolute) {
        Ok(_) => Ok(()),
        Err(_) if absolute.is_dir() => {
            Err(OpenError::File { path: path.to_owned(), problem: "it is a folder".to_owned() })
        }
        Err(problem) if problem.kind() == std::io::ErrorKind::AlreadyExists => check_header(path, absolute),
        Err(problem) => Err(OpenError::of_file(path, &problem)),
    }
}

/// Checks that an existing file is a database or empty. SQLite itself takes a file that is too short to be a database
/// for an empty one, and would overwrite it.
fn check_header(path: &Path, absolute: &Path) -> Result<(), OpenError> {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    // Asked before opening: to open a pipe is to wait for its writer.
    let facts = std::fs::metadata(absolute).map_err(|problem| OpenError::of_file(path, &problem))?;
    if !facts.is_file() {
        return Err(OpenError::File { path: path.to_owned(), problem: "it is not a file".to_owned() });
    }
    let mut header = Vec::new();
    std::fs::File::open(absolute)
        .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut header))
        .map_err(|problem| OpenError::of_file(path, &problem))?;
    if header.is_empty() || header == MAGIC {
        return Ok(());
    }
    Err(OpenError::NotADatabase { path: path.to_owned() })
}

/// Connections that stay open.
fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(TURN_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        // When the disk is full, SQLite itself rolls a transaction back, and sqlx still counts it as open
        // and would begin no other on that connection, ever. Such a connection is replaced.
        .before_acquire(|connection, _| {
            let sound = !connection.is_in_transaction();
            Box::pin(std::future::ready(Ok(sound)))
        })
}

/// Checks that the file is ours and sound before anything in it is changed, then migrates it.
async fn prepare(path: &Path, writer: &SqlitePool) -> Result<(), OpenError> {
    let failed = |problem: sqlx::Error| OpenError::of(path, &problem);
    let named = || path.to_owned();

    let (application, tables): (i64, i64) =
        query_as("SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id")
            .fetch_one(writer)
            .await
            .map_err(failed)?;
    if application != migrations::APPLICATION_ID && (application, tables) != (0, 0) {
        return Err(OpenError::AnotherProgram { path: named() });
    }

    let verdict: String = query_scalar("PRAGMA quick_check(1)").fetch_one(writer).await.map_err(failed)?;
    if verdict != "ok" {
        return Err(OpenError::Damaged { path: named(), problem: verdict });
    }

    let mode: String = query_scalar("PRAGMA journal_mode = WAL").fetch_one(writer).await.map_err(failed)?;
    if mode != "wal" {
        return Err(OpenError::NoWriteAheadLog { path: named() });
    }
    migrations::run(writer).await.map_err(|problem| OpenError::of_migration(path, problem))
}
