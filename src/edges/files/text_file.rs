//! Reads a small text file of the operator: settings or a manifest.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

/// Larger files are not read: nobody writes so much by hand, and a wrong path may lead to anything. Bytes.
const SIZE_MAX: u64 = 1024 * 1024;

/// Why a file gave no text.
#[derive(Debug, thiserror::Error)]
pub enum TextFileError {
    /// There is no file of that name.
    #[error("there is no such file")]
    Missing,
    /// A folder, a pipe, a device.
    #[error("this is not a file")]
    NotAFile,
    /// The file is larger than anything written by hand.
    #[error("the file is larger than 1 MiB")]
    TooLarge,
    /// The bytes are not text.
    #[error("the file is not UTF-8 text from line {line} on")]
    NotUtf8 {
        /// Counted from 1.
        line: usize,
    },
    /// The system reports an error.
    #[error("the file cannot be read: {0}")]
    Io(io::Error),
}

impl From<io::Error> for TextFileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Io(error),
        }
    }
}

/// Reads a file of at most 1 MiB of UTF-8 text.
pub fn read(path: &Path) -> Result<String, TextFileError> {
    // Asked before opening: to open a pipe is to wait for its writer.
    if !fs::metadata(path)?.is_file() {
        return Err(TextFileError::NotAFile);
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(SIZE_MAX + 1).read_to_end(&mut bytes)?;
    if SIZE_MAX < bytes.len() as u64 {
        return Err(TextFileError::TooLarge);
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        TextFileError::NotUtf8 { line: good.filter(|&&byte| byte == b'\n').count() + 1 }
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::read;

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let cases = [
            (b"one\ntwo\n".to_vec(), Ok("one\ntwo\n")),
            (Vec::new(), Ok("")),
            (b"one\ntw\xff".to_vec(), Err("the file is not UTF-8 text from line 2 on")),
            (vec![b' '; 1024 * 1024 + 1], Err("the file is larger than 1 MiB")),
        ];
        for (bytes, expected) in cases {
            fs::write(&path, &bytes).unwrap();
            assert_eq!(read(&path).as_deref().map_err(ToString::to_string), expected.map_err(str::to_owned));
        }
        fs::write(&path, vec![b' '; 1024 * 1024]).unwrap();
        assert_eq!(read(&path).unwrap().len(), 1024 * 1024);
    }

    #[test]
    fn what_is_not_a_file_is_told_apart_from_what_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap_err().to_string(), "this is not a file");
        assert_eq!(read(&folder.path().join("none")).unwrap_err().to_string(), "there is no such file");
    }
}
