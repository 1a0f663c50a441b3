//! Replaces a file atomically: a reader finds the old content or the new one.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use serde_json::{Map, Value};

use candor_core::contract::OWN_METRICS;

/// The bot's own file is far smaller. In bytes.
const OWN_SIZE_MAX: u64 = 64 * 1024;

#[derive(Debug, thiserror::Error)]
pub(super) enum ReplaceError {
    /// Another program wrote the existing file.
    #[error(
        "the file is not the bot's own and is left alone: set `enabled = false` in `[host_metrics]` if another \
         producer writes it, or move it away and the bot writes its own"
    )]
    NotOwn,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Replaces the file if the bot wrote it, or creates it. Any other file stays unchanged.
pub(super) fn replace_own(path: &Path, content: &[u8]) -> Result<(), ReplaceError> {
    match is_own(path) {
        Ok(false) => Err(ReplaceError::NotOwn),
        Err(problem) if problem.kind() != io::ErrorKind::NotFound => Err(problem.into()),
        Ok(true) | Err(_) => Ok(replace(path, content)?),
    }
}

/// Returns whether the bot wrote the file. An empty file counts: a crash of the machine may leave one, and it has no
/// content to lose.
fn is_own(path: &Path) -> io::Result<bool> {
    // Checked before opening: opening a pipe waits for its writer.
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut content = Vec::new();
    fs::File::open(path)?.take(OWN_SIZE_MAX).read_to_end(&mut content)?;
    let (key, producer) = OWN_METRICS;
    let is_marked = |figures: Map<String, Value>| figures.get(key).and_then(Value::as_str) == Some(producer);
    Ok(content.is_empty() || serde_json::from_slice(&content).is_ok_and(is_marked))
}

/// Writes a file beside `path` and renames it. Does not sync: after a crash of the machine this content is worthless
/// anyway. Creates the folder if it is missing.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    };
    // Hidden, with the process id: two bots in one folder would overwrite each other's file.
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.new", std::process::id()));
    let temporary = path.with_file_name(temporary);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&temporary, content).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // Half a file only fills the disk more. If removing it fails too, nothing changes.
        drop(fs::remove_file(&temporary));
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{ReplaceError, replace, replace_own};

    #[test]
    fn only_a_file_of_the_bots_own_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.json");
        let new = r#"{"producer": "candor", "load": 1}"#;
        replace_own(&path, new.as_bytes()).unwrap();
        for own in [new, r#"{"load": 2, "producer": "candor"}"#, ""] {
            fs::write(&path, own).unwrap();
            replace_own(&path, new.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), new, "{own}");
        }
        let large = format!("{{\"producer\": \"candor\", \"x\": \"{}\"}}", "x".repeat(70_000));
        let foreign = [
            "[modules]\n",
            "SQLite format 3\0",
            "{}",
            r#"{"load": 2}"#,
            r#"{"producer": "telegraf"}"#,
            r#"[{"producer": "candor"}]"#,
            &large,
        ];
        for foreign in foreign {
            fs::write(&path, foreign).unwrap();
            let refused = replace_own(&path, new.as_bytes());
            assert!(matches!(refused, Err(ReplaceError::NotOwn)), "{foreign}: {refused:?}");
            assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
        }
        assert!(matches!(replace_own(folder.path(), b"{}"), Err(ReplaceError::NotOwn)));
    }

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
