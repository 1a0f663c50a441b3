//! Opens, checks and migrates the store's file, and serves it by two threads.

use std::io::Read as _;
use std::path::Path;

use tracing::warn;

use super::connection::FileConnection;
use super::open_error::OpenError;
use super::worker::{Worker, commit_together, read_each};
use super::{migrations, schema};
use crate::sql::TransactionFn;
use candor_core::contract::ServiceError;

#[derive(Debug)]
pub(crate) struct SqliteFile {
    writer: Worker,
    reader: Worker,
}

impl SqliteFile {
    /// Opens the file, checks that it is sound, and migrates it. Creates the file and its folder if they are missing.
    pub(crate) async fn open(path: &Path) -> Result<Self, OpenError> {
        let named = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || open(&named)).await;
        let (writer, reader) = opened.map_err(|broken| OpenError::failed(path, &broken))??;
        Self::serve(path, writer, reader)
    }

    /// Opens a file that is a store of this version, without changing its format.
    pub(crate) async fn open_existing(path: &Path, may_write: bool) -> Result<Self, OpenError> {
        let named = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || open_existing(&named, may_write)).await;
        let (writer, reader) = opened.map_err(|broken| OpenError::failed(path, &broken))??;
        Self::serve(path, writer, reader)
    }

    fn serve(path: &Path, writer: FileConnection, reader: FileConnection) -> Result<Self, OpenError> {
        Ok(Self {
            writer: Worker::start("store-writer", writer, commit_together).map_err(|p| OpenError::failed(path, &p))?,
            reader: Worker::start("store-reader", reader, read_each).map_err(|p| OpenError::failed(path, &p))?,
        })
    }

    /// Runs work that writes. Its changes are on the disk when this returns.
    pub(crate) async fn write<T: Send + 'static>(&self, work: TransactionFn<T>) -> Result<T, ServiceError> {
        self.writer.done(work).await
    }

    /// Runs work of one statement that only reads.
    pub(crate) async fn read<T: Send + 'static>(&self, work: TransactionFn<T>) -> Result<T, ServiceError> {
        self.reader.done(work).await
    }

    /// Empties the write-ahead log, which holds deleted text until then.
    pub(crate) async fn empty_log(&self) {
        self.writer.empty_log().await;
    }

    /// Writes everything into the one file and closes it. Later calls fail.
    pub(crate) async fn close(&self) {
        // The last connection to close removes the log, which the reader may not.
        self.reader.close().await;
        self.writer.close().await;
    }
}

fn open(path: &Path) -> Result<(FileConnection, FileConnection), OpenError> {
    // SQLite interprets `:memory:`, `file:…` and the empty name specially; an absolute path avoids that.
    let absolute = std::path::absolute(path).map_err(|problem| OpenError::of_file(path, &problem))?;
    create_missing(path, &absolute)?;
    let failed = |problem: rusqlite::Error| OpenError::of(path, &problem);
    let mut writer = FileConnection::open(&absolute, true).map_err(failed)?;
    prepare(path, &mut writer)?;
    let reader = FileConnection::open(&absolute, false).map_err(failed)?;
    Ok((writer, reader))
}

/// Opens a writing and a reading connection to a file that another process may have open. A read-only connection could
/// not remove the write-ahead log if it is the last to close. So both are opened for writing, and `query_only` stops
/// the reader.
fn open_existing(path: &Path, may_write: bool) -> Result<(FileConnection, FileConnection), OpenError> {
    let absolute = std::path::absolute(path).map_err(|problem| OpenError::of_file(path, &problem))?;
    if !absolute.try_exists().map_err(|problem| OpenError::of_file(path, &problem))? {
        return Err(OpenError::Missing { path: path.to_owned() });
    }
    check_header(path, &absolute)?;
    let failed = |problem: rusqlite::Error| OpenError::of(path, &problem);
    let writer = FileConnection::open(&absolute, true).map_err(failed)?;
    check_owner(path, &writer)?;
    let of_format = |problem| OpenError::of_migration(path, problem);
    schema::check(&writer.connection).map_err(of_format)?;
    migrations::check(&writer.connection).map_err(of_format)?;
    let reader = FileConnection::open(&absolute, true).map_err(failed)?;
    reader.command("PRAGMA query_only = ON").map_err(failed)?;
    if !may_write {
        writer.command("PRAGMA query_only = ON").map_err(failed)?;
    }
    Ok((writer, reader))
}

/// Creates the folder, and the file with access for its owner only: it holds conversations. SQLite gives the files
/// beside it the same permissions.
fn create_missing(path: &Path, absolute: &Path) -> Result<(), OpenError> {
    if let Some(folder) = absolute.parent() {
        create_folder(folder).map_err(|problem| OpenError::of_folder(path, &problem))?;
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
        Err(problem) if problem.kind() == std::io::ErrorKind::AlreadyExists => {
            check_header(path, absolute)?;
            keep_private(absolute);
            Ok(())
        }
        Err(problem) => Err(OpenError::of_file(path, &problem)),
    }
}

/// Creates a folder and its parents with access for the owner only. Existing folders stay unchanged.
pub(crate) fn create_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Removes other users' access to an existing file, such as a restored copy, and to its log.
#[cfg(unix)]
fn keep_private(absolute: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    for end in ["", "-wal", "-shm"] {
        let mut file = absolute.as_os_str().to_owned();
        file.push(end);
        let is_open = |facts: std::fs::Metadata| facts.permissions().mode() & 0o077 != 0;
        if !std::fs::metadata(&file).is_ok_and(is_open) {
            continue;
        }
        match std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)) {
            Ok(()) => warn!(?file, "other users of this machine could read the store; its mode is now 0600"),
            Err(problem) => {
                warn!(?file, error = %problem, "other users of this machine can read the store: set its mode to 0600");
            }
        }
    }
}

#[cfg(not(unix))]
fn keep_private(_: &Path) {}

/// Checks that an existing file is a database or empty. SQLite itself treats a file too short to be a database as an
/// empty one, and would overwrite it.
pub(super) fn check_header(path: &Path, absolute: &Path) -> Result<(), OpenError> {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    // Checked before opening: opening a pipe waits for its writer.
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

/// Checks that the file is ours and sound before changing anything in it, then migrates it.
fn prepare(path: &Path, writer: &mut FileConnection) -> Result<(), OpenError> {
    let failed = |problem: rusqlite::Error| OpenError::of(path, &problem);
    let asked = |statement| writer.connection.query_row(statement, [], |row| row.get::<_, String>(0)).map_err(failed);
    let named = || path.to_owned();

    check_owner(path, writer)?;
    // The schema is checked first, because `quick_check` evaluates expressions of the schema.
    schema::check(&writer.connection).map_err(|problem| OpenError::of_migration(path, problem))?;
    let verdict = asked("PRAGMA quick_check(1)")?;
    if verdict != "ok" {
        return Err(OpenError::Damaged { path: named(), problem: verdict });
    }
    if asked("PRAGMA journal_mode = WAL")? != "wal" {
        return Err(OpenError::NoWriteAheadLog { path: named() });
    }
    migrations::run(&mut writer.connection).map_err(|problem| OpenError::of_migration(path, problem))
}

/// Checks that the file is ours, or empty.
pub(super) fn check_owner(path: &Path, writer: &FileConnection) -> Result<(), OpenError> {
    let whose = "SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id";
    let whose = writer.connection.query_row(whose, [], |row| Ok((row.get(0)?, row.get(1)?)));
    match whose.map_err(|problem| OpenError::of(path, &problem))? {
        (migrations::APPLICATION_ID, _) | (0_i64, 0_i64) => Ok(()),
        _ => Err(OpenError::AnotherProgram { path: path.to_owned() }),
    }
}
