//! Limits the content of a program's working folder. The kernel has no limit for a folder, so its content is counted:
//! before each start, every few seconds while a program runs, and after each call.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tracing::warn;

use crate::programs::error::ProgramError;
use candor_core::text::excerpt;

/// The most files and folders of a working folder: so many are counted in milliseconds.
const FILES_MAX: usize = 10_000;

/// The deepest nesting of folders. A path longer than the system accepts is refused in the same way.
const DEPTH_MAX: usize = 64;

/// The pause between two counts while a program runs.
const LOOK_EVERY: Duration = Duration::from_secs(2);

const MIB: u64 = 1_024 * 1_024;

/// Fails if the folder holds more than the limit, too many files, or entries that cannot be counted.
pub(super) async fn check(work: PathBuf, limit_mib: u64) -> Result<(), ProgramError> {
    let counted = spawn_blocking(move || count(&work, limit_mib).map_err(ProgramError::from)).await;
    counted.unwrap_or_else(|problem| Err(ProgramError::NotStarted(problem.to_string())))
}

/// Like `check`, but before a start. Also removes folders nested too deeply: by hand that is difficult.
pub(super) async fn check_before_start(work: PathBuf, limit_mib: u64) -> Result<(), ProgramError> {
    let counted = spawn_blocking(move || {
        loop {
            let deep = match count(&work, limit_mib) {
                Err(Refused::TooDeep(deep)) => deep,
                other => return other.map_err(ProgramError::from),
            };
            let removed =
                deep.ok_or_else(|| io::Error::from(ErrorKind::NotFound)).and_then(|deep| remove(&work, &deep));
            removed.map_err(|problem| {
                ProgramError::FolderFull(format!("{DEPTH_MAX} folders in each other ({problem})"))
            })?;
            warn!(folder = %work.display(), "folders that were too deep in each other were removed");
        }
    });
    counted.await.unwrap_or_else(|problem| Err(ProgramError::NotStarted(problem.to_string())))
}

#[derive(Debug, PartialEq, Eq)]
enum Refused {
    Full(ProgramError),
    /// This entry of the working folder contains folders nested too deeply.
    TooDeep(Option<PathBuf>),
}

impl From<Refused> for ProgramError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Full(problem) => problem,
            Refused::TooDeep(_) => Self::FolderFull(format!("{DEPTH_MAX} folders in each other, or a path that long")),
        }
    }
}

/// Removes an entry of a working folder, however deep it is. Each folder is first moved beside the working folder,
/// where the path is short and no program can put a link in its place.
fn remove(work: &Path, entry: &Path) -> io::Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let aside = work.parent().unwrap_or(work).join(format!(".removed-{}-{now}", std::process::id()));
    fs::create_dir(&aside)?;
    let mut folders = Vec::new();
    let mut n = 0_usize;
    let mut take = |from: &Path, folders: &mut Vec<PathBuf>| {
        n += 1;
        let to = aside.join(n.to_string());
        fs::rename(from, &to)?;
        folders.push(to);
        Ok::<_, io::Error>(())
    };
    take(entry, &mut folders)?;
    while let Some(folder) = folders.pop() {
        if !folder.symlink_metadata()?.is_dir() {
            fs::remove_file(&folder)?;
            continue;
        }
        fs::set_permissions(&folder, Permissions::from_mode(0o700))?;
        for inner in folder.read_dir()? {
            let inner = inner?;
            match inner.file_type()?.is_dir() {
                true => take(&inner.path(), &mut folders)?,
                false => fs::remove_file(inner.path())?,
            }
        }
        fs::remove_dir(&folder)?;
    }
    fs::remove_dir(&aside)
}

/// Waits until the folder exceeds its limit, and returns the error.
pub(super) async fn outgrown(work: PathBuf, limit_mib: u64) -> ProgramError {
    loop {
        sleep(LOOK_EVERY).await;
        if let Err(full) = check(work.clone(), limit_mib).await {
            return full;
        }
    }
}

fn count(work: &Path, limit_mib: u64) -> Result<(), Refused> {
    let limit = limit_mib.saturating_mul(MIB);
    let mut n_files = 0;
    let mut bytes = 0_u64;
    let full = |limit: String| Refused::Full(ProgramError::FolderFull(limit));
    let mut folders = vec![(work.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let below = folder.strip_prefix(work).unwrap_or(&folder);
        let too_deep = || Refused::TooDeep(below.iter().next().map(|entry| work.join(entry)));
        // A program could hide content from the count, so an unreadable folder counts as full.
        let uncounted = |problem: io::Error| match problem.kind() {
            ErrorKind::InvalidFilename => too_deep(),
            _ => full(format!("what can be counted: `{}`: {problem}", excerpt(&below.display().to_string()))),
        };
        for entry in is_there(fs::read_dir(&folder)).map_err(uncounted)?.into_iter().flatten() {
            // For a link, the link itself counts: it may lead anywhere.
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
                return Err(full(format!("{FILES_MAX} files")));
            }
            if limit < bytes {
                return Err(full(format!("{limit_mib} MiB")));
            }
        }
    }
    Ok(())
}

/// Returns `None` for an entry removed meanwhile.
fn is_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn full(limit: &str) -> Result<(), Refused> {
        Err(Refused::Full(ProgramError::FolderFull(limit.to_owned())))
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

    #[tokio::test]
    async fn folders_in_each_other_are_refused_in_a_short_line_and_removed_before_the_next_start() {
        for (n, length) in [(DEPTH_MAX + 2, 1), (300, 200)] {
            let data = tempfile::tempdir().unwrap();
            let folder = data.path().join("work");
            let foreign = data.path().join("foreign");
            fs::create_dir(&folder).unwrap();
            fs::create_dir(&foreign).unwrap();
            fs::write(foreign.join("kept"), "").unwrap();
            // From the inside out: no path is longer than the system takes.
            let name = "d".repeat(length);
            let inner = folder.join("inner");
            let outer = folder.join("outer");
            fs::create_dir(&inner).unwrap();
            symlink(&foreign, inner.join("link")).unwrap();
            for _ in 0..n {
                fs::create_dir(&outer).unwrap();
                fs::rename(&inner, outer.join(&name)).unwrap();
                fs::rename(&outer, &inner).unwrap();
            }
            fs::write(folder.join("kept"), "").unwrap();
            let Err(refused) = check(folder.clone(), 1).await else {
                panic!("{n} folders of {length} letters were counted")
            };
            let text = refused.to_string();
            assert!(text.contains("64 folders in each other") && text.len() < 300, "{text}");
            assert_eq!(check_before_start(folder.clone(), 1).await, Ok(()));
            assert!(folder.join("kept").exists() && !folder.join("inner").exists());
            assert!(foreign.join("kept").exists(), "what a link names stays");
            assert_eq!(fs::read_dir(data.path()).unwrap().count(), 2, "nothing is left beside them");
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
            let told = |refused: &Refused| matches!(refused, Refused::Full(ProgramError::FolderFull(why)) if why.contains("hidden"));
            assert!(counted.as_ref().is_err_and(told), "{counted:?}");
        }
    }
}
