//! The file of the key that signs receipts.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use candor_core::record::{NotAKey, ReceiptKey, SEED_LENGTH};

use crate::secrets::file::{advice, warn_if_shared};

/// In bytes, longer than any key file of this kind.
const FILE_LENGTH_MAX: u64 = 8 * 1024;

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

/// Makes a new key in a new file that only its owner can access, and the folder for it. Fails if there is a file.
pub fn create_receipt_key(path: &Path) -> Result<ReceiptKey, ReceiptKeyError> {
    let mut seed = [0; SEED_LENGTH];
    getrandom::fill(&mut seed).map_err(|problem| ReceiptKeyError::NoRandomness(problem.to_string()))?;
    let key = ReceiptKey::from_seed(&seed).map_err(|_| ReceiptKeyError::NotAKey { path: path.to_owned() })?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let written = folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| options.open(path)).and_then(|mut file| {
        file.write_all(ReceiptKey::to_pem(&seed).as_bytes())?;
        file.sync_all()
    });
    written.map_err(|problem| ReceiptKeyError::Unwritable { path: path.to_owned(), problem })?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_for_its_owner_alone_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipts.key");
        assert!(read_receipt_key(&path).unwrap().is_none());
        let made = create_receipt_key(&path).unwrap();
        assert_eq!(read_receipt_key(&path).unwrap().unwrap().public(), made.public());
        let again = create_receipt_key(&path).unwrap_err().to_string();
        assert!(again.contains("cannot be written"), "{again}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
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
