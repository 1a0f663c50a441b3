//! Secrets: keys of the store and encryption with them, and the files of the operator that hold one.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use async_trait::async_trait;
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use secrecy::SecretString;

use candor_core::contract::ServiceError;
use candor_core::record::{NotAKey, ReceiptKey, SEED_LENGTH, Salt};

/// Warns if other users of this machine may read the file. `what` names the secret in the log line.
#[cfg(unix)]
pub fn warn_if_shared(what: &str, path: &Path, file: &File) {
    use std::os::unix::fs::PermissionsExt as _;

    if let Ok(facts) = file.metadata()
        && facts.permissions().mode() & 0o077 != 0
    {
        let path = path.display();
        tracing::warn!("the {what} file `{path}` is readable by other users of this machine: run `chmod 600 {path}`");
    }
}

#[cfg(not(unix))]
pub fn warn_if_shared(_what: &str, _path: &Path, _file: &File) {}

/// Returns the remedy for an unusable file or folder, with the command to type.
pub fn advice(path: &Path, problem: &io::Error) -> String {
    let shown = path.display();
    match problem.kind() {
        io::ErrorKind::IsADirectory => format!(
            "`{shown}` is a folder: Docker makes one where the file that it is to mount is missing; remove the folder, and \
             write the file"
        ),
        io::ErrorKind::NotFound => format!("there is no `{shown}`: check the path, and the folder this was started in"),
        io::ErrorKind::PermissionDenied => match (user(), owner(path)) {
            (Some(user), Some((owner, mode))) => format!(
                "this process runs as user {user}, and `{shown}` belongs to user {owner} with mode {mode:o}; type: \
                 sudo chown {user} '{shown}'"
            ),
            (Some(user), None) => {
                format!("this process runs as user {user}, which may not look into the folder of `{shown}`")
            }
            (None, _) => format!("give the user the bot runs as the right to use `{shown}`"),
        },
        io::ErrorKind::ReadOnlyFilesystem => format!("`{shown}` is on a file system that is mounted read-only"),
        _ => format!("make `{shown}` usable for the user the bot runs as"),
    }
}

/// Returns the effective user of this process: the second number after `Uid:`, see `proc_pid_status(5)`.
fn user() -> Option<u32> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Returns the owner of a file, and its mode.
#[cfg(unix)]
fn owner(path: &Path) -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt as _;

    path.metadata().ok().map(|facts| (facts.uid(), facts.mode() & 0o777))
}

#[cfg(not(unix))]
fn owner(_path: &Path) -> Option<(u32, u32)> {
    None
}

/// In bytes, longer than any key in use. A longer file was named by mistake.
const KEY_LENGTH_MAX: u64 = 8 * 1024;

/// The reason why a file gives no key: the file, the problem and the remedy. Never any of its content.
#[derive(Debug, thiserror::Error)]
#[error("the key file `{}` {problem}", path.display())]
pub struct KeyError {
    path: PathBuf,
    problem: KeyProblem,
}

#[derive(Debug, thiserror::Error)]
enum KeyProblem {
    #[error("cannot be read ({0}): check the path in `key_file` and who may read the file")]
    Unreadable(io::Error),
    #[error("is empty: write the key into it, or remove `key_file` if the server needs none")]
    Empty,
    #[error("has more than one line: leave only the key in it")]
    ManyLines,
    #[error("is longer than any key: check that `key_file` names the right file")]
    TooLong,
    // A byte order mark or the quotes of a word processor, for example.
    #[error("holds spaces or characters that no key has: save it as plain text with only the key in it")]
    NotVisible,
}

/// Reads the key without one line end behind it. Warns if other users may read the file.
pub fn read_key(path: &Path) -> Result<SecretString, KeyError> {
    read(path).map_err(|problem| KeyError { path: path.to_owned(), problem })
}

fn read(path: &Path) -> Result<SecretString, KeyProblem> {
    let file = File::open(path).map_err(KeyProblem::Unreadable)?;
    warn_if_shared("key", path, &file);
    let mut content = Vec::new();
    file.take(KEY_LENGTH_MAX + 1).read_to_end(&mut content).map_err(KeyProblem::Unreadable)?;
    if content.len() as u64 > KEY_LENGTH_MAX {
        return Err(KeyProblem::TooLong);
    }
    let content = String::from_utf8(content).map_err(|_| KeyProblem::NotVisible)?;
    let key = content.strip_suffix('\n').unwrap_or(&content);
    let key = key.strip_suffix('\r').unwrap_or(key);
    if key.trim().is_empty() {
        return Err(KeyProblem::Empty);
    }
    if key.contains(['\n', '\r']) {
        return Err(KeyProblem::ManyLines);
    }
    if !is_visible(key) {
        return Err(KeyProblem::NotVisible);
    }
    Ok(SecretString::from(key))
}

/// Returns whether a key can be sent: a header takes visible ASCII characters only.
pub fn is_visible(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|character| character.is_ascii_graphic())
}

/// The length of a key in bytes. An HMAC with SHA-256 is as strong as its key up to this length.
pub const KEY_LENGTH: usize = 32;

#[async_trait]
pub trait Secrets: Send + Sync {
    /// Returns the key of that name. It is generated on the first request and never changes by itself.
    async fn key(&self, name: &str) -> Result<SigningKey, ServiceError>;
}

/// A signing key. It has no text form, so no log can hold it.
#[derive(Clone)]
pub struct SigningKey([u8; KEY_LENGTH]);

impl SigningKey {
    pub fn new(bytes: [u8; KEY_LENGTH]) -> Self {
        Self(bytes)
    }

    pub fn bytes(&self) -> &[u8; KEY_LENGTH] {
        &self.0
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(…)")
    }
}

/// Generates a salt; `None` if the system gives no random bytes.
pub fn salt() -> Option<Salt> {
    let mut salt = Salt::default();
    getrandom::fill(&mut salt).ok()?;
    Some(salt)
}

/// The length of a nonce in bytes: long enough to be drawn at random each time.
const NONCE_LENGTH: usize = 24;

/// Seals texts with one key, each for the event that it belongs to.
#[derive(Clone)]
pub struct Sealer(XChaCha20Poly1305);

impl Sealer {
    pub fn new(key: &SigningKey) -> Self {
        Self(XChaCha20Poly1305::new(key.bytes().into()))
    }

    /// Encrypts and authenticates a text. The result begins with the nonce. `None` if the system gives no random bytes.
    pub fn seal(&self, event: u64, text: &str) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_LENGTH];
        getrandom::fill(&mut nonce).ok()?;
        let payload = Payload { msg: text.as_bytes(), aad: &event.to_be_bytes() };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload).ok()?;
        Some([&nonce[..], &sealed].concat())
    }

    /// Decrypts a text that was sealed with this key for this event.
    pub fn open(&self, event: u64, sealed: &[u8]) -> Option<String> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LENGTH)?;
        let nonce: [u8; NONCE_LENGTH] = nonce.try_into().ok()?;
        let payload = Payload { msg: sealed, aad: &event.to_be_bytes() };
        String::from_utf8(self.0.decrypt(&XNonce::from(nonce), payload).ok()?).ok()
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer(…)")
    }
}

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

/// Returns the file to which `candor receipts rotate --leaked` moves the file of a still older key.
pub fn withdrawn_receipt_key(former: &Path) -> PathBuf {
    let name = former.file_name().unwrap_or_default().to_string_lossy();
    former.with_file_name(name.replace(FORMER, ".leaked-"))
}

/// Returns the keys that this one replaced, as far as their files are there and readable.
pub fn former_receipt_keys(path: &Path) -> Vec<ReceiptKey> {
    former_receipt_key_files(path).iter().filter_map(|file| read_receipt_key(file).ok().flatten()).collect()
}

/// Returns the files of the keys that this one replaced.
pub fn former_receipt_key_files(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned() + FORMER;
    let folder = path.parent().and_then(|folder| fs::read_dir(folder).ok());
    let files = folder.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    files.filter(|file| file.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&name))).collect()
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
mod file_tests {
    use std::io;
    use std::path::Path;

    use super::advice;

    #[test]
    fn each_problem_has_its_own_advice() {
        let of = |kind: io::ErrorKind, path: &Path| advice(path, &io::Error::from(kind));
        let folder = tempfile::tempdir().unwrap();
        assert!(of(io::ErrorKind::IsADirectory, folder.path()).contains("Docker makes one"));
        assert!(of(io::ErrorKind::NotFound, Path::new("nowhere")).contains("check the path"));
        assert!(of(io::ErrorKind::ReadOnlyFilesystem, folder.path()).contains("read-only"));
        #[cfg(target_os = "linux")]
        {
            let told = of(io::ErrorKind::PermissionDenied, folder.path());
            let chown = format!(" '{}'", folder.path().display());
            assert!(told.contains("this process runs as user ") && told.contains("sudo chown "), "{told}");
            assert!(told.contains(" with mode ") && told.ends_with(&chown), "{told}");
            let told = of(io::ErrorKind::PermissionDenied, Path::new("/nowhere/token"));
            assert!(told.contains("may not look into the folder"), "{told}");
        }
    }
}

#[cfg(test)]
mod key_file_tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn read_content(content: &[u8]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.key");
        std::fs::write(&path, content).unwrap();
        let key = read_key(&path).map(|key| key.expose_secret().to_owned());
        key.map_err(|problem| problem.to_string().replace(&path.display().to_string(), "model.key"))
    }

    #[test]
    fn one_line_end_is_trimmed_and_nothing_else() {
        for content in ["sk-1", "sk-1\n", "sk-1\r\n"] {
            assert_eq!(read_content(content.as_bytes()), Ok("sk-1".to_owned()), "{content:?}");
        }
    }

    #[test]
    fn a_file_that_is_no_key_is_refused_with_what_to_do() {
        let cases: [(&[u8], &str); 10] = [
            (b"", "is empty"),
            (b"\n", "is empty"),
            (b"  \r\n", "is empty"),
            (b"sk-1\n\n", "more than one line"),
            (b"sk-1\nsk-2\n", "more than one line"),
            (b" sk-1", "no key has"),
            (b"sk 1", "no key has"),
            ("\u{feff}sk-1".as_bytes(), "no key has"),
            (b"sk-\xff", "no key has"),
            (&[b'x'; 9_000], "longer than any key"),
        ];
        for (content, expected) in cases {
            let problem = read_content(content).unwrap_err();
            assert!(problem.starts_with("the key file `model.key` ") && problem.contains(expected), "{problem}");
            assert!(!problem.contains("sk"), "{problem}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let problem = read_key(Path::new("no/such.key")).unwrap_err().to_string();
        assert!(problem.starts_with("the key file `no/such.key` cannot be read ("), "{problem}");
    }
}

#[cfg(test)]
mod keys_tests {
    use super::*;
    use crate::KEY_LENGTH;

    #[test]
    fn a_key_shows_nothing_of_itself() {
        assert_eq!(format!("{:?}", SigningKey::new([65; KEY_LENGTH])), "SigningKey(…)");
    }

    #[test]
    fn what_is_sealed_is_opened_with_the_same_key_for_the_same_event_alone() {
        let sealer = |byte| Sealer::new(&SigningKey::new([byte; KEY_LENGTH]));
        let sealed = sealer(1).seal(7, "a token").unwrap();
        assert!(!sealed.windows(7).any(|bytes| bytes == b"a token"));
        assert_eq!(sealer(1).open(7, &sealed).as_deref(), Some("a token"));
        assert_eq!(sealer(2).open(7, &sealed), None);
        assert_eq!(sealer(1).open(8, &sealed), None);
        assert_eq!(sealer(1).open(7, &[&sealed[..], &[0]].concat()), None);
        assert_eq!(sealer(1).open(7, &[]), None);
        assert_ne!(sealer(1).seal(7, "a token").unwrap(), sealed, "each has a nonce of its own");
    }
}

#[cfg(test)]
mod receipt_key_tests {
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
