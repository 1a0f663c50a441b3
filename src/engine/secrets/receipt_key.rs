//! The file of the key that signs receipts.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use candor_core::record::{NotAKey, ReceiptKey, SEED_LENGTH};

use crate::secrets::file::{advice, warn_if_shared};

/// In bytes, longer than any key file of this kind.
const FILE_LENGTH_MAX: u64 = 8 * 1024;

/// Ends the name of a file with a key that was replaced, before the seconds since 1970.
const FORMER: &str = ".old-";

/// The reason why there is no key: the file, the problem and the remedy. Never contains any of the file's content.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptKeyError {
    #[error("the key file of the receipts, `{}`, cannot be read ({problem}): {}", path.display(), advice(path, problem))]
    Unreadable { path: PathBuf, problem: io::Error },
    #[error("the key file of the receipts, `{}`, cannot be written ({problem}): {}", path.display(), advice(path, problem))]
    Unwritable { path: PathBuf, problem: io::Error },
    #[error("the key file of the receipts, `{}`, {NotAKey}", path.display())]
    NotAKey { path: PathBuf },
    #[error("could not get random bytes from the system for the key of the receipts: {0}")]
    NoRandomness(String),
}

/// Reads the key. `None` if there is no file. Warns if other users may read it.
pub fn read_receipt_key(path: &Path) -> Result<Option<ReceiptKey>, ReceiptKeyError> {
    let unreadable = |problem| ReceiptKeyError::Unreadable { path: path.to_owned(), problem };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(problem) => return Err(unreadable(problem)),
    };
    warn_if_shared("receipt key", path, &file);
    let mut content = String::new();
    file.take(FILE_LENGTH_MAX).read_to_string(&mut content).map_err(unreadable)?;
    let key = ReceiptKey::from_pem(&content).map_err(|_| ReceiptKeyError::NotAKey { path: path.to_owned() })?;
    Ok(Some(key))
}

/// Reads the key, or makes a new one in a new file that only its owner can access, and the folder for it. Of several
/// processes that do so at once, all get the key of the first. Returns whether this process made it.
pub fn ensure_receipt_key(path: &Path) -> Result<(ReceiptKey, bool), ReceiptKeyError> {
    if let Some(key) = read_receipt_key(path)? {
        return Ok((key, false));
    }
    let mut seed = [0; SEED_LENGTH];
    let no_randomness = |problem: getrandom::Error| ReceiptKeyError::NoRandomness(problem.to_string());
    getrandom::fill(&mut seed).map_err(no_randomness)?;
    let mut tag = [0; 8];
    getrandom::fill(&mut tag).map_err(no_randomness)?;
    let key = ReceiptKey::from_seed(&seed).map_err(|_| ReceiptKeyError::NotAKey { path: path.to_owned() })?;
    // The file gets its name with its content, so that no process reads half a key.
    let whole = beside(path, &format!(".{}", u64::from_ne_bytes(tag)));
    let written = write_new(&whole, &ReceiptKey::to_pem(&seed)).and_then(|()| fs::hard_link(&whole, path));
    let _not_there = fs::remove_file(&whole);
    match written {
        Ok(()) => Ok((key, true)),
        Err(problem) if problem.kind() == io::ErrorKind::AlreadyExists => match read_receipt_key(path)? {
            Some(key) => Ok((key, false)),
            None => Err(ReceiptKeyError::Unwritable { path: path.to_owned(), problem }),
        },
        Err(problem) => Err(ReceiptKeyError::Unwritable { path: path.to_owned(), problem }),
    }
}

/// Returns the file in which `candor receipts rotate` makes the next key. It takes the place of this one at the end.
pub fn next_receipt_key(path: &Path) -> PathBuf {
    beside(path, ".new")
}

/// Returns the file to which `candor receipts rotate` moves the old key at this second.
pub fn former_receipt_key(path: &Path, since_1970: i64) -> PathBuf {
    beside(path, &format!("{FORMER}{since_1970}"))
}

/// Returns the file to which `candor receipts rotate --leaked` moves the old key at this second. Nothing reads it.
pub fn leaked_receipt_key(path: &Path, since_1970: i64) -> PathBuf {
    beside(path, &format!(".leaked-{since_1970}"))
}

/// Returns the keys that this one replaced, as far as their files are there and readable.
pub fn former_receipt_keys(path: &Path) -> Vec<ReceiptKey> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned() + FORMER;
    let folder = path.parent().and_then(|folder| fs::read_dir(folder).ok());
    let files = folder.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let files = files.filter(|file| file.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&name)));
    files.filter_map(|file| read_receipt_key(&file).ok().flatten()).collect()
}

fn write_new(path: &Path, content: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), fs::create_dir_all)?;
    let mut file = options.open(path)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_for_its_owner_alone_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipts.key");
        assert!(read_receipt_key(&path).unwrap().is_none());
        let (made, is_new) = ensure_receipt_key(&path).unwrap();
        assert!(is_new);
        assert_eq!(read_receipt_key(&path).unwrap().unwrap().public(), made.public());
        let (again, is_new) = ensure_receipt_key(&path).unwrap();
        assert!(!is_new && again.public() == made.public());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        let below_a_file = ensure_receipt_key(&path.join("receipts.key")).unwrap_err().to_string();
        assert!(below_a_file.contains("cannot be"), "{below_a_file}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn of_processes_that_start_at_once_one_makes_the_key_for_all() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..50 {
            let path = folder.path().join(format!("{round}.key"));
            let keys = std::thread::scope(|scope| {
                let starts: Vec<_> = (0..4).map(|_| scope.spawn(|| ensure_receipt_key(&path).unwrap())).collect();
                starts.into_iter().map(|start| start.join().unwrap()).collect::<Vec<_>>()
            });
            assert!(keys.iter().all(|(key, _)| key.public() == keys[0].0.public()));
            assert_eq!(keys.iter().filter(|(_, is_new)| *is_new).count(), 1);
        }
    }

    #[test]
    fn a_file_that_holds_no_key_is_named_and_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipts.key");
        std::fs::write(&path, "a secret of something else").unwrap();
        let problem = read_receipt_key(&path).unwrap_err().to_string();
        assert!(problem.contains("receipts.key") && problem.contains("openssl genpkey"), "{problem}");
        assert!(!problem.contains("something else"), "{problem}");
    }
}
