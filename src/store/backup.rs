//! Copies of an SQLite store: made while it is in use, and restored while it is not.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::database::Database;
use crate::head_file::newest_head;
use crate::sqlite::{self, OpenError};
use crate::tables::commands::chain::{ChainBreak, HeadFinding, SigningError};
use candor_core::contract::ServiceError;
use candor_core::record::{PublicKey, ReceiptKey};

/// Reasons why a store was not backed up or restored. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{0}")]
    Store(#[from] OpenError),
    #[error("the backup `{}` was not restored: {problem}", path.display())]
    Unusable { path: PathBuf, problem: String },
    #[error("the backup `{}` was not restored, because its chain of receipts breaks: {broken}", path.display())]
    Changed { path: PathBuf, broken: ChainBreak },
    #[error(
        "the backup `{}` was not restored: its receipts are signed with the key {}, and the key file holds {}, which does \
         not vouch for it. Put the key file of the backup in place. If it is lost, move the present one away, restore, and \
         run `candor receipts rotate --lost`",
        path.display(), .last.fingerprint(), .given.fingerprint()
    )]
    OtherKey { path: PathBuf, last: PublicKey, given: PublicKey },
    #[error(
        "the backup `{}` was not restored: the last signed head in `{}` {finding}, so the backup is not of this store. If \
         it shall take the place of this store, move `{}` away and keep it",
        path.display(), heads.display(), heads.display()
    )]
    OtherStore { path: PathBuf, heads: PathBuf, finding: HeadFinding },
    #[error("`{}` is there already, and nothing is overwritten: name another file", path.display())]
    Exists { path: PathBuf },
    #[error("the store `{}` is in use: stop the bot and any other program using the store, then try again", path.display())]
    InUse { path: PathBuf },
    #[error("`{}` cannot be used: {problem}", path.display())]
    File {
        path: PathBuf,
        /// The message of the operating system or SQLite.
        problem: String,
    },
}

/// What signs the record of a restore.
#[derive(Debug)]
pub struct RestoreSigning {
    pub key: Arc<ReceiptKey>,
    /// Keys that the key replaced, as far as they are there.
    pub former: Vec<ReceiptKey>,
    /// The file with the newest head of the store that is replaced.
    pub heads: PathBuf,
}

/// The result of a restore.
#[derive(Debug)]
pub struct Restored {
    /// The new path of the old store, if there was one.
    pub aside: Option<PathBuf>,
    /// The key of the restored receipts if there was none to sign the record with: the restore is not recorded.
    pub missing_key: Option<PublicKey>,
}

impl BackupError {
    /// Returns the exit code of `sysexits.h`, or 1 for a chain that breaks.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Store(problem) => problem.exit_code(),
            Self::Changed { .. } => 1,
            Self::InUse { .. } | Self::File { .. } => 69,
            Self::Unusable { .. } | Self::OtherKey { .. } | Self::OtherStore { .. } | Self::Exists { .. } => 78,
        }
    }

    fn of_file(path: &Path, problem: &dyn std::fmt::Display) -> Self {
        Self::File { path: path.to_owned(), problem: problem.to_string() }
    }
}

/// Copies the store in this file to a new file that only its owner can read, even while a bot uses the store.
pub async fn back_up(store: &Path, to: &Path) -> Result<(), BackupError> {
    let store = store.to_owned();
    let to = to.to_owned();
    blocking(&to.clone(), move || {
        // Nothing is created where there is no store.
        let source = sqlite::open_source(&store)?;
        create_new(&to).map_err(|problem| match problem.kind() {
            io::ErrorKind::AlreadyExists => BackupError::Exists { path: to.clone() },
            _ => BackupError::of_file(&to, &problem),
        })?;
        let copied = sqlite::copy(&source, &to).map_err(|problem| BackupError::of_file(&to, &problem));
        copied.and_then(|()| synced(&to)).inspect_err(|_| drop(fs::remove_file(&to)))
    })
    .await
}

/// Replaces the store in this file by a copy of the backup. The copy is checked and migrated to this version's format
/// first; the backup stays unchanged.
///
/// `signing` signs the record of it in the chain. A backup of another store is refused, if a signed head tells.
pub async fn restore(store: &Path, from: &Path, signing: Option<RestoreSigning>) -> Result<Restored, BackupError> {
    let copy = beside(store, ".restoring");
    let ended = restore_copy(store, from, &copy, signing).await;
    for left in [
        copy.clone(),
        beside(&copy, "-wal"),
        beside(&copy, "-shm"),
        beside(&copy, ".lock"),
        beside(&copy, ".lock-turn"),
    ] {
        // After a success, only the lock remains.
        let _not_there = fs::remove_file(left);
    }
    ended
}

async fn restore_copy(
    store: &Path,
    from: &Path,
    copy: &Path,
    signing: Option<RestoreSigning>,
) -> Result<Restored, BackupError> {
    let source = from.to_owned();
    let target = copy.to_owned();
    blocking(copy, move || {
        sqlite::check_is_store(&source)
            .map_err(|problem| BackupError::Unusable { path: source.clone(), problem: problem.to_string() })?;
        if let Some(folder) = target.parent() {
            sqlite::create_folder(folder).map_err(|problem| BackupError::of_file(folder, &problem))?;
        }
        let _left_by_another_try = fs::remove_file(&target);
        let written = File::open(&source).and_then(|mut from| io::copy(&mut from, &mut create_new(&target)?));
        written.map_err(|problem| BackupError::of_file(&target, &problem))?;
        synced(&target)
    })
    .await?;
    let unusable =
        |problem: &dyn std::fmt::Display| BackupError::Unusable { path: from.to_owned(), problem: problem.to_string() };
    let opened = Database::open_file(copy).await.map_err(|problem| unusable(&problem))?;
    let broken = opened.verify_chain().await;
    // The claims are older than the sessions' last events: a resumed session would run those again.
    let forgotten = opened.forget_sessions().await;
    forgotten.map_err(|problem| unusable(&problem))?;
    let missing_key = match &signing {
        Some(_) => None,
        None => opened.receipt_key().await.map_err(|problem| unusable(&problem))?,
    };
    let opened = match signing {
        Some(signing) if matches!(broken, Ok(None)) => record(opened, store, from, signing).await?,
        _ => opened,
    };
    opened.close().await;
    if let Some(broken) = broken.map_err(|problem| unusable(&problem))? {
        return Err(BackupError::Changed { path: from.to_owned(), broken });
    }
    let store = store.to_owned();
    let copy = copy.to_owned();
    let aside = blocking(&store.clone(), move || exchange(&store, &copy)).await?;
    Ok(Restored { aside, missing_key })
}

/// Records in the chain of the copy that it takes the place of the store.
async fn record(copy: Database, store: &Path, from: &Path, signing: RestoreSigning) -> Result<Database, BackupError> {
    let RestoreSigning { key, former, heads } = signing;
    let unusable =
        |problem: &dyn std::fmt::Display| BackupError::Unusable { path: from.to_owned(), problem: problem.to_string() };
    let failed = |problem: ServiceError| unusable(&problem);
    let of_signing = |problem: SigningError| match problem {
        SigningError::OtherKey { last, given } => BackupError::OtherKey { path: from.to_owned(), last, given },
        SigningError::Store(problem) => unusable(&problem),
    };
    let outside = newest_head(&heads).map_err(|problem| BackupError::of_file(&heads, &problem))?;
    // It may be missing or damaged.
    let replaced = Database::open_existing_file(store, false).await.ok();
    // Its checkpoints are from before the first key, and were verified.
    let is_unsigned = copy.receipt_key().await.map_err(failed)?.is_none();
    copy.catch_up_keys(&key, &former, replaced.as_ref()).await.map_err(of_signing)?;
    let copy = copy.signed_by(key, outside.as_ref().filter(|_| !is_unsigned)).await.map_err(of_signing)?;
    if let Some(outside) = outside {
        let finding = copy.compare_head(&outside, None).await.map_err(failed)?;
        if matches!(finding, HeadFinding::Forged | HeadFinding::OtherStore) {
            return Err(BackupError::OtherStore { path: from.to_owned(), heads, finding });
        }
    }
    copy.record_replaced(replaced.as_ref(), outside).await.map_err(failed)?;
    if let Some(replaced) = replaced {
        replaced.close().await;
    }
    Ok(copy)
}

/// Moves the old store aside and the copy into its place. No process may have the store open.
fn exchange(store: &Path, copy: &Path) -> Result<Option<PathBuf>, BackupError> {
    let failed = |problem: io::Error| BackupError::of_file(store, &problem);
    let is_there = store.try_exists().map_err(failed)?;
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let aside = beside(store, &format!(".before-restore-{}", since_1970.as_secs()));
    // The lock is held until both are renamed.
    let lock = is_there.then(|| sqlite::lock_alone(store)).transpose();
    let _lock = lock.map_err(|_| BackupError::InUse { path: store.to_owned() })?;
    if is_there {
        // A log left beside a damaged store must not be taken for the new store's log.
        for end in ["-wal", "-shm"] {
            match fs::rename(beside(store, end), beside(&aside, end)) {
                Err(problem) if problem.kind() != io::ErrorKind::NotFound => return Err(failed(problem)),
                _ => {}
            }
        }
        fs::rename(store, &aside).map_err(failed)?;
    }
    fs::rename(copy, store).map_err(failed)?;
    #[cfg(unix)]
    if let Some(folder) = store.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        synced(folder)?;
    }
    Ok(is_there.then_some(aside))
}

async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, BackupError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|broken| Err(BackupError::of_file(path, &broken)))
}

fn synced(path: &Path) -> Result<(), BackupError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(|problem| BackupError::of_file(path, &problem))
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    name.into()
}

/// Creates a file that only its owner can access: a store holds conversations and the bot's keys.
fn create_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
