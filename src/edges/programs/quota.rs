//! How much a program's working folder holds. No limit of the kernel is of a folder, so it is looked at: before each start,
//! every few seconds while something runs, and after each call.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::edges::programs::error::ProgramError;

/// The most files and folders of a working folder: so many are counted in milliseconds.
const FILES_MAX: usize = 10_000;

/// How long something runs until its folder is looked at again.
const LOOK_EVERY: Duration = Duration::from_secs(2);

const MIB: u64 = 1_024 * 1_024;

/// Fails if the folder holds more than this, more files than are counted, or what cannot be counted.
pub(super) async fn check(work: PathBuf, limit_mib: u64) -> Result<(), ProgramError> {
    let counted = spawn_blocking(move || count(&work, limit_mib)).await;
    counted.unwrap_or_else(|problem| Err(ProgramError::NotStarted(problem.to_string())))
}

/// Waits until the folder holds too much, and says so.
pub(super) async fn outgrown(work: PathBuf, limit_mib: u64) -> ProgramError {
    loop {
        sleep(LOOK_EVERY).await;
        if let Err(full) = check(work.clone(), limit_mib).await {
            return full;
        }
    }
}

fn count(work: &Path, limit_mib: u64) -> Result<(), ProgramError> {
    let limit = limit_mib.saturating_mul(MIB);
    let (mut n_files, mut bytes) = (0, 0_u64);
    let mut folders = vec![work.to_owned()];
    while let Some(folder) = folders.pop() {
        // What it took from the bot's sight would not count else.
        let uncounted = |problem: io::Error| {
            ProgramError::FolderFull(format!("what can be counted: `{}`: {problem}", folder.display()))
        };
        for entry in is_there(fs::read_dir(&folder)).map_err(uncounted)?.into_iter().flatten() {
            // Of a link, the link counts: it may lead anywhere.
            let entry = entry.map_err(uncounted)?;
            let Some(metadata) = is_there(entry.metadata()).map_err(uncounted)? else { continue };
            n_files += 1;
            bytes = bytes.saturating_add(metadata.len());
            if metadata.is_dir() {
                folders.push(entry.path());
            }
            if FILES_MAX < n_files {
                return Err(ProgramError::FolderFull(format!("{FILES_MAX} files")));
            }
            if limit < bytes {
                return Err(ProgramError::FolderFull(format!("{limit_mib} MiB")));
            }
        }
    }
    Ok(())
}

/// `None` for what was removed meanwhile.
fn is_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn full(limit: &str) -> Result<(), ProgramError> {
        Err(ProgramError::FolderFull(limit.to_owned()))
    }

    #[test]
    fn a_folder_may_hold_so_much_and_so_many() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        fs::write(below.join("kept"), vec![0; 700_000]).unwrap();
        symlink("/usr", folder.path().join("link")).unwrap();
        assert_eq!(count(folder.path(), 1), Ok(()));
        fs::write(folder.path().join("more"), vec![0; 400_000]).unwrap();
        assert_eq!(count(folder.path(), 1), full("1 MiB"));
        assert_eq!(count(folder.path(), 2), Ok(()));
        for n in 0..FILES_MAX {
            fs::write(below.join(n.to_string()), "").unwrap();
        }
        assert_eq!(count(folder.path(), 2), full("10000 files"));
        assert_eq!(count(&folder.path().join("gone"), 2), Ok(()));
    }

    #[test]
    fn what_is_hidden_from_the_bot_is_too_much() {
        let folder = tempfile::tempdir().unwrap();
        let hidden = folder.path().join("hidden");
        fs::create_dir(&hidden).unwrap();
        fs::set_permissions(&hidden, fs::Permissions::from_mode(0o000)).unwrap();
        let counted = count(folder.path(), 1);
        fs::set_permissions(&hidden, fs::Permissions::from_mode(0o700)).unwrap();
        // Nothing is hidden from root.
        if !rustix::process::geteuid().is_root() {
            assert!(matches!(&counted, Err(ProgramError::FolderFull(why)) if why.contains("hidden")), "{counted:?}");
        }
    }
}
