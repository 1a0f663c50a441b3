//! Reads a provider's API key from a file that holds nothing else.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use secrecy::SecretString;

use crate::secrets::file::warn_if_shared;

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

#[cfg(test)]
mod tests {
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
