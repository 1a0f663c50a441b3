//! The store's file: opened, checked, migrated, and served by two threads.

use std::io::Read as _;
use std::path::Path;

use super::connection::FileConnection;
use super::migrations;
use super::open_error::OpenError;
use super::worker::{Worker, commit_together, read_each};
use crate::edges::store::sql::Work;
use candor_core::contract::ServiceError;

/// The store in one SQLite file.
#[derive(Debug)]
pub(crate) struct SqliteFile {
    writer: Worker,
    reader: Worker,
}

impl SqliteFile {
    /// Opens the file, and creates it and its folder if there is none. Checks that it is sound, and migrates it.
    pub(crate) async fn open(path: &Path) -> Result<Self, OpenError> {
        let named = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || open(&named)).await;
        let (writer, reader) = opened.map_err(|broken| OpenError::failed(path, &broken))??;
        Ok(Self {
            writer: Worker::start("store-writer", writer, commit_together).map_err(|p| OpenError::failed(path, &p))?,
            reader: Worker::start("store-reader", reader, read_each).map_err(|p| OpenError::failed(path, &p))?,
        })
    }

    /// Does work that writes. What it did is on the disk when this returns.
    pub(crate) async fn write<T: Send + 'static>(&self, work: Work<T>) -> Result<T, ServiceError> {
        self.writer.done(work).await
    }

    /// Does work of one statement that reads.
    pub(crate) async fn read<T: Send + 'static>(&self, work: Work<T>) -> Result<T, ServiceError> {
        self.reader.done(work).await
    }

    /// Writes everything into the one file and closes it. Later calls fail.
    pub(crate) async fn close(&self) {
        // The last to close takes the log away, and the reader may not.
        self.reader.close().await;
        self.writer.close().await;
    }
}

/// The connection that writes, and the one that reads.
fn open(path: &Path) -> Result<(FileConnection, FileConnection), OpenError> {
    // SQLite takes `:memory:`, `file:…` and the empty name for something else than a file; an absolute path is none of
    // them.
    let absolute = std::path::absolute(path).map_err(|problem| OpenError::of_file(path, &problem))?;
    create_missing(path, &absolute)?;
    let failed = |problem: rusqlite::Error| OpenError::of(path, &problem);
    let mut writer = FileConnection::open(&absolute, true).map_err(failed)?;
    prepare(path, &mut writer)?;
    let reader = FileConnection::open(&absolute, false).map_err(failed)?;
    Ok((writer, reader))
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

/// Checks that the file is ours and sound before anything in it is changed, then migrates it.
fn prepare(path: &Path, writer: &mut FileConnection) -> Result<(), OpenError> {
    let failed = |problem: rusqlite::Error| OpenError::of(path, &problem);
    let asked = |statement| writer.connection.query_row(statement, [], |row| row.get::<_, String>(0)).map_err(failed);
    let named = || path.to_owned();

    let whose = "SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id";
    let whose: (i64, i64) =
        writer.connection.query_row(whose, [], |row| Ok((row.get(0)?, row.get(1)?))).map_err(failed)?;
    if whose.0 != migrations::APPLICATION_ID && whose != (0, 0) {
        return Err(OpenError::AnotherProgram { path: named() });
    }
    let verdict = asked("PRAGMA quick_check(1)")?;
    if verdict != "ok" {
        return Err(OpenError::Damaged { path: named(), problem: verdict });
    }
    if asked("PRAGMA journal_mode = WAL")? != "wal" {
        return Err(OpenError::NoWriteAheadLog { path: named() });
    }
    migrations::run(&mut writer.connection).map_err(|problem| OpenError::of_migration(path, problem))
}
