//! Reads a small text file of the operator: settings or a manifest.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptionsExt as _};
use rustix::fs::OFlags;

/// Larger files are not read: handwritten files are smaller, and a wrong path may lead to anything. In bytes.
const SIZE_MAX: u64 = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum TextFileError {
    #[error("there is no such file")]
    Missing,
    /// A folder, a pipe, a device.
    #[error("this is not a file")]
    NotAFile,
    /// A link to a place outside the folder.
    #[error("this is a link out of its folder, which is not followed")]
    Outside,
    /// Larger than any handwritten file.
    #[error("the file is larger than 1 MiB")]
    TooLarge,
    #[error("the file is not UTF-8 text from line {line} on")]
    NotUtf8 {
        /// Counted from 1.
        line: usize,
    },
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

/// Without this flag, opening a pipe would wait for its writer.
const AT_ONCE: i32 = OFlags::NONBLOCK.bits().cast_signed();

/// Reads a file of at most 1 MiB of UTF-8 text.
pub fn read(path: &Path) -> Result<String, TextFileError> {
    text(OpenOptions::new().read(true).custom_flags(AT_ONCE).open(path)?)
}

/// Reads such a file in a folder. Follows links only within the folder: the folder's author must not choose other files
/// of the machine to be read and shown.
pub fn read_within(folder: &Path, name: &str) -> Result<String, TextFileError> {
    let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
    let mut options = cap_std::fs::OpenOptions::new();
    match folder.open_with(name, options.read(true).custom_flags(AT_ONCE)) {
        Ok(file) => text(file.into_std()),
        Err(problem) if problem.kind() == io::ErrorKind::PermissionDenied && is_link(&folder, name) => {
            Err(TextFileError::Outside)
        }
        Err(problem) => Err(problem.into()),
    }
}

fn is_link(folder: &Dir, name: &str) -> bool {
    folder.symlink_metadata(name).is_ok_and(|facts| facts.is_symlink())
}

fn text(file: File) -> Result<String, TextFileError> {
    if !file.metadata()?.is_file() {
        return Err(TextFileError::NotAFile);
    }
    let mut bytes = Vec::new();
    file.take(SIZE_MAX + 1).read_to_end(&mut bytes)?;
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
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::{TextFileError, read, read_within};

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

    #[test]
    fn a_link_is_followed_within_the_folder_alone_and_a_pipe_is_not_waited_for() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("module");
        fs::create_dir_all(folder.join("..data")).unwrap();
        fs::write(place.path().join("secret"), "a token").unwrap();
        fs::write(folder.join("..data/file"), "a manifest").unwrap();
        let secret = place.path().join("secret");
        for (name, leads_to) in [
            ("within", Path::new("..data/file")),
            ("absolute", &secret),
            ("above", Path::new("../secret")),
            ("around", Path::new("..data/../../secret")),
            ("of-system", Path::new("/proc/self/environ")),
            ("nowhere", Path::new("none")),
        ] {
            symlink(leads_to, folder.join(name)).unwrap();
        }
        rustix::fs::mknodat(rustix::fs::CWD, folder.join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let read = |name: &str| read_within(&folder, name);
        assert_eq!(read("within").unwrap(), "a manifest");
        for outside in ["absolute", "above", "around", "of-system"] {
            assert!(matches!(read(outside), Err(TextFileError::Outside)), "{outside}: {:?}", read(outside));
        }
        assert!(matches!(read("nowhere"), Err(TextFileError::Missing)));
        assert!(matches!(read("pipe"), Err(TextFileError::NotAFile)));
        assert!(matches!(super::read(&folder.join("pipe")), Err(TextFileError::NotAFile)));
    }
}
