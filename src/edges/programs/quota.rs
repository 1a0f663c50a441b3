//! How much a program's working folder holds. No limit of the kernel is of a folder, so it is looked at: before each start,
//! every few seconds while something runs, and after each call.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::edges::programs::error::ProgramError;
use candor_core::text::excerpt;

/// The most files and folders of a working folder: so many are counted in milliseconds.
const FILES_MAX: usize = 10_000;

/// So many folders may be in each other. A longer path than the system takes is refused in the same way.
const DEPTH_MAX: usize = 64;

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
    let too_deep = || ProgramError::FolderFull(format!("{DEPTH_MAX} folders in each other, or a path that long"));
    let mut folders = vec![(work.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        // What it took from the bot's sight would not count else.
        let uncounted = |problem: io::Error| match problem.kind() {
            ErrorKind::InvalidFilename => too_deep(),
            _ => {
                let below = folder.strip_prefix(work).unwrap_or(&folder).display().to_string();
                ProgramError::FolderFull(format!("what can be counted: `{}`: {problem}", excerpt(&below)))
            }
        };
        for entry in is_there(fs::read_dir(&folder)).map_err(uncounted)?.into_iter().flatten() {
            // Of a link, the link counts: it may lead anywhere.
            let entry = entry.map_err(uncounted)?;
            let Some(metadata) = is_there(entry.metadata()).map_err(uncounted)? else { continue };
            n_files += 1;
            bytes = bytes.saturating_add(metadata.len());
            if metadata.is_dir() {
                folders.push((entry.path(), depth + 1));
            }
            if DEPTH_MAX < depth {
                return Err(too_deep());
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
    fn folders_in_each_other_are_refused_in_a_short_line() {
        for (n, length) in [(DEPTH_MAX + 2, 1), (300, 200)] {
            let folder = tempfile::tempdir().unwrap();
            // From the inside out: no path is longer than the system takes.
            let (name, inner, outer) = ("d".repeat(length), folder.path().join("inner"), folder.path().join("outer"));
            fs::create_dir(&inner).unwrap();
            for _ in 0..n {
                fs::create_dir(&outer).unwrap();
                fs::rename(&inner, outer.join(&name)).unwrap();
                fs::rename(&outer, &inner).unwrap();
            }
            let Err(refused) = count(folder.path(), 1) else { panic!("{n} folders of {length} letters were counted") };
            let text = refused.to_string();
            assert!(text.contains("64 folders in each other") && text.len() < 300, "{text}");
        }
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
