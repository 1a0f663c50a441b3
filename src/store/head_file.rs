//! The newest signed head, in a file beside the store.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tracing::{error, warn};

use candor_core::record::SignedHead;

/// The length of a line with its line end, longer than any head.
const LINE_LENGTH: usize = 1_024;

/// The most bytes that are read of a file with heads.
const FILE_SIZE_MAX: u64 = 4 * 1024 * 1024;

/// A file of two lines. They are overwritten in turn, so that a write that a crash cuts off leaves the other one.
#[derive(Debug)]
pub(crate) struct HeadFile {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    /// The position of the last head written by this process.
    position: u64,
    is_second_next: bool,
    is_failing: bool,
}

impl HeadFile {
    /// Opens the file, or creates it so that only its owner can access it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let state = State { file: opened(path)?, position: 0, is_second_next: false, is_failing: false };
        Ok(Self { path: path.to_owned(), state: Mutex::new(state) })
    }

    /// Writes a head, unless a newer one was written. `behind` is the position of the head before it in the chain. If
    /// `behind` is less than the last position written, the chain was cut: moves the file aside. Logs a failed write once.
    pub(crate) fn write(&self, head: &SignedHead, behind: u64) {
        let state = &mut *self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if head.head.position <= state.position {
            return;
        }
        if behind < state.position {
            let moved = set_aside(&self.path).and_then(|aside| Ok((aside, opened(&self.path)?)));
            match moved {
                Ok((aside, file)) => {
                    error!(
                        position = state.position,
                        evidence = %aside.display(),
                        "the end of the chain of receipts was cut off after the last commit: run `candor receipts verify`"
                    );
                    state.file = file;
                }
                Err(problem) => {
                    error!(error = %problem, "the end of the chain of receipts was cut off, and the file with its last head could not be moved")
                }
            }
        }
        let line = format!("{:<width$}\n", head.to_line(), width = LINE_LENGTH - 1);
        let offset = if state.is_second_next { LINE_LENGTH as u64 } else { 0 };
        match write_at(&state.file, line.as_bytes(), offset) {
            Ok(()) => {
                state.position = head.head.position;
                state.is_second_next = !state.is_second_next;
                state.is_failing = false;
            }
            Err(problem) if !state.is_failing => {
                state.is_failing = true;
                warn!(path = %self.path.display(), error = %problem, "the signed head was not written beside the store");
            }
            Err(_) => {}
        }
    }
}

fn opened(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.create(true).truncate(false).write(true).open(path)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    use std::io::{Seek as _, SeekFrom, Write as _};
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

/// Reads the heads in a file, one a line. Lines that hold no head are left out, such as one that a crash cut off. None
/// if there is no file.
pub fn read_heads(path: &Path) -> io::Result<Option<Vec<SignedHead>>> {
    match fs::metadata(path) {
        Ok(facts) if FILE_SIZE_MAX < facts.len() => Err(io::Error::other("it is longer than 4 MiB")),
        Ok(_) => {
            Ok(Some(fs::read_to_string(path)?.lines().filter_map(|line| SignedHead::from_line(line).ok()).collect()))
        }
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Returns the newest head of a file, if it has one.
pub(crate) fn newest_head(path: &Path) -> io::Result<Option<SignedHead>> {
    Ok(read_heads(path)?.unwrap_or_default().into_iter().max_by_key(|head| head.head.position))
}

/// Moves aside, as evidence, a file with heads that the store does not have. Returns its new path.
pub(crate) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".missing-{}", since_1970.as_secs()));
    let aside = PathBuf::from(aside);
    fs::rename(path, &aside)?;
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use candor_core::record::{Digest, Head, ReceiptKey};

    use super::*;

    fn head(position: u64) -> SignedHead {
        let digest = Digest::START;
        let head = Head { store: digest, position, at_ms: i64::MAX, previous: digest, group: digest, link: digest };
        head.signed(&ReceiptKey::from_seed(&[1; 32]).unwrap()).unwrap()
    }

    #[test]
    fn the_newest_head_is_read_back_and_an_older_one_is_never_written_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipts.head");
        assert_eq!(read_heads(&path).unwrap(), None);
        let file = HeadFile::open(&path).unwrap();
        for (position, behind) in [(1, 0), (2, 1), (5, 4), (4, 2), (u64::MAX, 5)] {
            file.write(&head(position), behind);
        }
        assert_eq!(newest_head(&path).unwrap(), Some(head(u64::MAX)));
        assert_eq!(read_heads(&path).unwrap().unwrap().len(), 2, "the last one stays until the next is written");
        assert_eq!(fs::metadata(&path).unwrap().len(), 2 * LINE_LENGTH as u64);
    }

    #[test]
    fn a_head_behind_an_older_one_than_the_last_leaves_the_file_as_evidence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipts.head");
        let file = HeadFile::open(&path).unwrap();
        file.write(&head(5), 4);
        file.write(&head(7), 3);
        assert_eq!(newest_head(&path).unwrap(), Some(head(7)));
        let others =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).filter(|other| *other != path);
        let aside: Vec<_> = others.map(|other| newest_head(&other).unwrap()).collect();
        assert_eq!(aside, [Some(head(5))]);
    }

    #[test]
    fn a_line_that_was_cut_off_leaves_the_other_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipts.head");
        let file = HeadFile::open(&path).unwrap();
        file.write(&head(1), 0);
        file.write(&head(2), 1);
        let content = fs::read(&path).unwrap();
        fs::write(&path, &content[..LINE_LENGTH + 100]).unwrap();
        assert_eq!(newest_head(&path).unwrap(), Some(head(1)));
    }
}
