//! The newest signed head, in a file beside the store.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tracing::{error, warn};

use candor_core::record::SignedHead;

/// The length of a line with its line end, longer than any head.
const LINE_LENGTH: usize = 1_024;

/// How often the lock of the file is tried. Another process holds it for less than a millisecond.
const LOCK_TRIES: u32 = 50;

const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// The most copies of one second.
const COPIES_A_SECOND: u32 = 16;

/// The most bytes that are read of a file with heads.
const FILE_SIZE_MAX: u64 = 4 * 1024 * 1024;

/// A file of two lines. The older one is overwritten, so that a write that a crash cuts off leaves the other one. The
/// processes of a store share the file and lock it for each write.
#[derive(Debug)]
pub(crate) struct HeadFile {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    /// The newest head that the file had when it was opened, if the chain does not have it. The next write replaces it.
    foreign: Option<SignedHead>,
    is_failing: bool,
}

impl HeadFile {
    /// Opens the file, or creates it so that only its owner can access it. `foreign` is its newest head if the chain does
    /// not have it.
    pub(crate) fn open(path: &Path, foreign: Option<SignedHead>) -> io::Result<Self> {
        let state = State { file: opened(path)?, foreign, is_failing: false };
        Ok(Self { path: path.to_owned(), state: Mutex::new(state) })
    }

    /// Writes a head, unless the file has a newer one of this chain. If the chain was cut, keeps a copy of the file first,
    /// as evidence. Logs a failed write once.
    pub(crate) fn write(&self, head: &SignedHead, is_cut: bool) {
        let state = &mut *self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if is_cut {
            match keep_aside(&self.path) {
                Ok(aside) => error!(
                    position = head.head.position,
                    evidence = %aside.display(),
                    "the end of the chain of receipts was cut off after the last commit: run `candor receipts verify`"
                ),
                Err(problem) => error!(
                    error = %problem,
                    "the end of the chain of receipts was cut off, and the file with its last head could not be copied"
                ),
            }
        }
        match put(&state.file, head, state.foreign, is_cut) {
            Ok(()) => {
                state.foreign = None;
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

/// Writes a head in place of the older line, unless the file has a newer head. Heads of another chain are replaced: all
/// of them if the chain was cut, or else the one that was found at the start.
fn put(file: &File, head: &SignedHead, foreign: Option<SignedHead>, is_cut: bool) -> io::Result<()> {
    let _lock = Lock::of(file)?;
    let lines = lines(file)?;
    let position = |line: usize| lines[line].map(|head| head.head.position);
    let newest = if position(0) <= position(1) { 1 } else { 0 };
    let replaces = is_cut || foreign.is_some() && foreign == lines[newest];
    if !replaces && Some(head.head.position) <= position(newest) {
        return Ok(());
    }
    write_line(file, 1 - newest, &head.to_line())?;
    match replaces {
        true => write_line(file, newest, ""),
        false => Ok(()),
    }
}

/// The lock on a file, until it is dropped.
struct Lock<'a>(&'a File);

impl<'a> Lock<'a> {
    fn of(file: &'a File) -> io::Result<Self> {
        for _try in 0..LOCK_TRIES {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => sleep(LOCK_PAUSE),
                // A file system without locks has one process, as far as anyone can tell.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(Self(file)),
            }
        }
        Err(io::Error::other("another process holds its lock"))
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        let _no_lock = self.0.unlock();
    }
}

fn opened(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.create(true).truncate(false).read(true).write(true).open(path)
}

/// Returns the heads of the two lines.
fn lines(mut file: &File) -> io::Result<[Option<SignedHead>; 2]> {
    let mut content = Vec::with_capacity(2 * LINE_LENGTH);
    file.seek(SeekFrom::Start(0))?;
    file.take(2 * LINE_LENGTH as u64).read_to_end(&mut content)?;
    let line = |n: usize| {
        let line = content.get(n * LINE_LENGTH..)?;
        let line = line.get(..LINE_LENGTH).unwrap_or(line);
        SignedHead::from_line(&String::from_utf8_lossy(line)).ok()
    };
    Ok([line(0), line(1)])
}

fn write_line(mut file: &File, n: usize, line: &str) -> io::Result<()> {
    file.seek(SeekFrom::Start((n * LINE_LENGTH) as u64))?;
    file.write_all(format!("{line:<width$}\n", width = LINE_LENGTH - 1).as_bytes())
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
        let file = HeadFile::open(&path, None).unwrap();
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
        let file = HeadFile::open(&path, None).unwrap();
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
    fn a_newer_head_of_another_process_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipts.head");
        let one = HeadFile::open(&path, None).unwrap();
        let other = HeadFile::open(&path, None).unwrap();
        one.write(&head(1), false);
        for (file, position, newest, before) in [(&other, 3, 3, 1), (&other, 5, 5, 3), (&one, 4, 5, 3), (&one, 6, 6, 5)]
        {
            file.write(&head(position), false);
            let mut heads = read_heads(&path).unwrap().unwrap();
            heads.sort_by_key(|head| head.head.position);
            assert_eq!(heads, [head(before), head(newest)], "after {position}");
        }
    }

    #[test]
    fn a_head_of_another_chain_is_replaced_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipts.head");
        HeadFile::open(&path, None).unwrap().write(&head(9), false);
        let files = [9, 9].map(|position| HeadFile::open(&path, Some(head(position))).unwrap());
        for (file, position, newest) in [(&files[0], 4, 4), (&files[1], 3, 4), (&files[1], 5, 5)] {
            file.write(&head(position), false);
            assert_eq!(newest_head(&path).unwrap(), Some(head(newest)));
        }
    }

    #[test]
    fn a_process_that_keeps_the_lock_holds_no_other_one_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipts.head");
        let file = HeadFile::open(&path, None).unwrap();
        let held = File::open(&path).unwrap();
        held.lock().unwrap();
        file.write(&head(1), false);
        assert_eq!(newest_head(&path).unwrap(), None);
        held.unlock().unwrap();
        file.write(&head(2), false);
        assert_eq!(newest_head(&path).unwrap(), Some(head(2)));
    }

    #[test]
    fn a_line_that_was_cut_off_leaves_the_other_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipts.head");
        let file = HeadFile::open(&path, None).unwrap();
        file.write(&head(1), false);
        file.write(&head(2), false);
        let content = fs::read(&path).unwrap();
        fs::write(&path, &content[..LINE_LENGTH + 100]).unwrap();
        assert_eq!(newest_head(&path).unwrap(), Some(head(1)));
    }
}
