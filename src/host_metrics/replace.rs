//! Writes a file so that a reader finds the old content or the new one, and nothing in between.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// Writes to a file beside `path` and gives it that name. Nothing is forced to the disk: after a crash of
/// the machine these contents are worthless anyway. The folder is made if it is not there.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    };
    // Hidden, and always the same: what a crash leaves behind is overwritten by the next run.
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(".new");
    let temporary = path.with_file_name(temporary);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&temporary, content).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // A full disk is no better for half a file. That it cannot be removed either changes nothing.
        drop(fs::remove_file(&temporary));
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::replace;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/metrics.json");
        for content in ["first", "second"] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        let beside = fs::read_dir(folder.path().join("new")).unwrap().count();
        assert_eq!(beside, 1);
    }

    #[test]
    fn what_cannot_be_replaced_stays() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("metrics.json");
        fs::create_dir(&taken).unwrap();
        fs::write(taken.join("inside"), "kept").unwrap();
        assert!(replace(&taken, b"{}").is_err());
        assert_eq!(fs::read_to_string(taken.join("inside")).unwrap(), "kept");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        assert!(replace(std::path::Path::new("/"), b"{}").is_err());
    }
}
