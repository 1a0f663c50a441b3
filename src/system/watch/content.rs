//! Reads a whole file, or reports why it cannot, and the problems with its content.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Larger files are refused. In bytes.
pub const FILE_SIZE_MAX: u64 = 1024 * 1024;

/// How often a file is read again when it changed in the meantime.
const ATTEMPTS_MAX: usize = 3;

/// The end of the year 9999, the last that can be written as a date. Some file systems keep any number as the time of a
/// file.
const LATEST: Duration = Duration::from_secs(253_402_300_799);

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    Whole { bytes: Vec<u8>, modified: SystemTime },
    Missing,
    Unreadable(ContentProblem),
}

pub(super) fn read(path: &Path) -> Content {
    for _ in 0..ATTEMPTS_MAX {
        match read_once(path) {
            Ok(Attempt::Whole(bytes, modified)) => {
                return Content::Whole { bytes, modified: modified.min(UNIX_EPOCH + LATEST) };
            }
            Ok(Attempt::Changed) => {}
            Ok(Attempt::Refused(problem)) => return Content::Unreadable(problem),
            Err(error) if error.kind() == ErrorKind::NotFound || error.kind() == ErrorKind::NotADirectory => {
                return Content::Missing;
            }
            Err(error) => return Content::Unreadable(ContentProblem::whole(format!("it cannot be read: {error}"))),
        }
    }
    Content::Unreadable(ContentProblem::whole("it keeps changing while it is being read"))
}

enum Attempt {
    Whole(Vec<u8>, SystemTime),
    Changed,
    Refused(ContentProblem),
}

fn read_once(path: &Path) -> io::Result<Attempt> {
    // Checked before opening: opening a pipe waits for a writer.
    if !fs::metadata(path)?.is_file() {
        return Ok(Attempt::Refused(ContentProblem::whole("it is not a regular file")));
    }
    let file = File::open(path)?;
    let before = file.metadata()?;
    let mut bytes = Vec::new();
    // One byte more than allowed: the size may be wrong (`/proc`) or grow while we read.
    (&file).take(FILE_SIZE_MAX + 1).read_to_end(&mut bytes)?;
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if FILE_SIZE_MAX < length {
        let problem = format!("it is larger than {FILE_SIZE_MAX} bytes ({} KiB)", FILE_SIZE_MAX / 1024);
        return Ok(Attempt::Refused(ContentProblem::whole(problem)));
    }
    // The same descriptor both times: by its path it might be another file by now.
    let after = file.metadata()?;
    let unchanged = before.len() == after.len() && before.modified()? == after.modified()?;
    Ok(if unchanged { Attempt::Whole(bytes, after.modified()?) } else { Attempt::Changed })
}

/// Parses the bytes of a file.
pub type Parse<T> = fn(&[u8]) -> Result<T, ContentProblem>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentProblem {
    /// Line and column, from 1; columns are counted in bytes.
    pub place: Option<(usize, usize)>,
    pub text: String,
}

impl ContentProblem {
    /// Creates a problem of the file as a whole.
    pub fn whole(text: impl Into<String>) -> Self {
        Self { place: None, text: text.into() }
    }
}

impl fmt::Display for ContentProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Content, ContentProblem, FILE_SIZE_MAX, read};

    #[test]
    fn a_file_is_read_whole_or_the_reason_is_given() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let largest = vec![b' '; usize::try_from(FILE_SIZE_MAX).unwrap()];
        let too_large = [largest.as_slice(), b" "].concat();

        for bytes in [b"".as_slice(), b"{}", &largest] {
            assert!(matches!(read(&file("fine", bytes)), Content::Whole { bytes: found, .. } if found == bytes));
        }
        let problem = ContentProblem::whole("it is larger than 1048576 bytes (1024 KiB)");
        assert_eq!(read(&file("large", &too_large)), Content::Unreadable(problem));
        assert_eq!(read(folder.path()), Content::Unreadable(ContentProblem::whole("it is not a regular file")));
        assert_eq!(read(&folder.path().join("none")), Content::Missing);
        assert_eq!(read(&folder.path().join("no/folder")), Content::Missing);
        assert_eq!(read(&folder.path().join("fine/below a file")), Content::Missing);
    }
}
