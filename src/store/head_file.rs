//! The newest signed head, in a file beside the store.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tracing::{error, warn};

use candor_core::record::SignedHead;

/// The length of a line with its line end, longer than any head.
const LINE_LENGTH: usize = 1_024;

/// The most copies of one second.
const COPIES_A_SECOND: u32 = 16;

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

    /// Writes a head, unless a newer one was written. If the chain was cut, keeps a copy of the file first, as evidence.
    /// Logs a failed write once.
    pub(crate) fn write(&self, head: &SignedHead, is_cut: bool) {
        let state = &mut *self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if is_cut {
            match keep_aside(&self.path) {
                Ok(aside) => error!(
                    position = state.position,
                    evidence = %aside.display(),
                    "the end of the chain of receipts was cut off after the last commit: run `candor receipts verify`"
                ),
                Err(problem) => error!(
                    error = %problem,
                    "the end of the chain of receipts was cut off, and the file with its last head could not be copied"
                ),
            }
        } else if head.head.position <= state.position {
            return;
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
        Ok(_) => Ok(Some(
            String::from_utf8_lossy(&fs::read(path)?)
                .lines()
                .filter_map(|line| SignedHead::from_line(line).ok())
                .collect(),
        )),
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Returns the newest head of a file, if it has one.
pub fn newest_head(path: &Path) -> io::Result<Option<SignedHead>> {
    Ok(read_heads(path)?.unwrap_or_default().into_iter().max_by_key(|head| head.head.position))
}

/// Copies a file with heads that the store does not have, as evidence. The file itself stays: another process may write
/// to it. Returns the path of the copy.
pub(crate) fn keep_aside(path: &Path) -> io::Result<PathBuf> {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let content = fs::read(path)?;
    for attempt in 0..COPIES_A_SECOND {
        let mut aside = path.as_os_str().to_owned();
        aside
            .push(format!(".missing-{since_1970}{}", if attempt == 0 { String::new() } else { format!("-{attempt}") }));
        let aside = PathBuf::from(aside);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&aside) {
            Ok(mut file) => {
                file.write_all(&content)?;
                file.sync_all()?;
                return Ok(aside);
            }
            Err(problem) if problem.kind() == io::ErrorKind::AlreadyExists => {}
            Err(problem) => return Err(problem),
        }
    }
    Err(io::Error::other("there are too many copies of this second"))
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
        for position in [1, 2, 5, 4, u64::MAX] {
            file.write(&head(position), false);
        }
        assert_eq!(newest_head(&path).unwrap(), Some(head(u64::MAX)));
        assert_eq!(read_heads(&path).unwrap().unwrap().len(), 2, "the last one stays until the next is written");
        assert_eq!(fs::metadata(&path).unwrap().len(), 2 * LINE_LENGTH as u64);
    }

    #[test]
    fn a_chain_that_was_cut_leaves_the_file_as_evidence_whatever_the_position_of_the_next_head() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipts.head");
        let file = HeadFile::open(&path).unwrap();
        file.write(&head(5), false);
        file.write(&head(4), true);
        file.write(&head(6), false);
        assert_eq!(newest_head(&path).unwrap(), Some(head(6)));
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
        file.write(&head(1), false);
        file.write(&head(2), false);
        let content = fs::read(&path).unwrap();
        fs::write(&path, &content[..LINE_LENGTH + 100]).unwrap();
        assert_eq!(newest_head(&path).unwrap(), Some(head(1)));
    }
}
