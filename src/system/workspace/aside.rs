//! Atomic replacement of a file: it is written under a temporary name, then renamed.

use std::io::{self, ErrorKind, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::fs::{Dir, File, OpenOptions};

use candor_core::contract::WorkspacePath;

/// Names that are tried. A taken name is rare, and so many in a row mean another problem.
const ATTEMPTS_MAX: u32 = 16;

/// Writes a whole file into a folder, syncs it to the disk, then moves it to its place. On failure it leaves no file
/// behind. It never touches a file that another process is writing.
pub(super) fn replace(from: &Dir, to: &Dir, name: &str, content: &[u8]) -> io::Result<()> {
    replace_by(own_names(), from, to, name, content)
}

fn replace_by(names: impl Iterator<Item = String>, from: &Dir, to: &Dir, name: &str, content: &[u8]) -> io::Result<()> {
    let (temporary, file) = create(names, from)?;
    let replaced = write_whole(file, content)
        // Replaces whichever file has the name by now, and follows no link there.
        .and_then(|()| from.rename(&temporary, to, name));
    if replaced.is_err() {
        // This call created the file, so no other process needs it. The first problem is the one to report.
        drop(from.remove_file(&temporary));
    }
    replaced
}

/// Creates a file with the first free name.
fn create(names: impl Iterator<Item = String>, folder: &Dir) -> io::Result<(String, File)> {
    for name in names {
        match folder.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
            Err(problem) if problem.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (name, file)),
        }
    }
    Err(io::Error::new(ErrorKind::AlreadyExists, "every name for a file that is being written is taken"))
}

/// Returns names for a file while it is being written. Another process may write beside this one, and in containers
/// both may have the same id: so the time is part of the name, and [`create`] takes only a free one.
fn own_names() -> impl Iterator<Item = String> {
    (0..ATTEMPTS_MAX).map(|attempt| {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        format!("{}{time:x}-{}-{attempt}.tmp", WorkspacePath::OWN_PREFIX, std::process::id())
    })
}

fn write_whole(mut file: File, content: &[u8]) -> io::Result<()> {
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use cap_std::ambient_authority;

    use super::*;

    /// What is wrong, and the files of a folder, after "new" was written to `to` by way of these names.
    fn after_replacing(to: &str, names: &[&str]) -> (Option<ErrorKind>, Vec<(String, String)>) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".candor-1.tmp"), "another's").unwrap();
        fs::write(folder.path().join("a"), "old").unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        let opened = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        let names = names.iter().map(|&name| name.to_owned());
        let problem = replace_by(names, &opened, &opened, to, b"new").err().map(|problem| problem.kind());
        fs::remove_dir(folder.path().join("folder")).unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap())
            })
            .collect();
        left.sort();
        (problem, left)
    }

    fn files(of_a: &str) -> Vec<(String, String)> {
        [(".candor-1.tmp", "another's"), ("a", of_a)].map(|(name, content)| (name.into(), content.into())).into()
    }

    #[test]
    fn a_name_that_is_taken_is_passed_over_and_left_alone() {
        let both = [".candor-1.tmp", ".candor-2.tmp"];
        assert_eq!(after_replacing("a", &both), (None, files("new")));
        assert_eq!(after_replacing("a", &both[..1]), (Some(ErrorKind::AlreadyExists), files("old")));
    }

    #[test]
    fn what_fails_removes_only_its_own_file() {
        let both = [".candor-1.tmp", ".candor-2.tmp"];
        assert_eq!(after_replacing("folder", &both), (Some(ErrorKind::IsADirectory), files("old")));
    }

    #[test]
    fn names_are_the_bots_own_and_differ() {
        let mut names: Vec<_> = own_names().collect();
        assert!(names.iter().all(|name| name.starts_with(".candor-") && WorkspacePath::of_file(name).is_err()));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 16);
    }
}
