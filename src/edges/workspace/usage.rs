//! The quota of a workspace, and the temporary files that the bot leaves in it while it writes.

use std::ffi::OsStr;
use std::io;
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, DirEntry, Metadata};

use crate::edges::workspace::absent::found;
use candor_core::contract::{FILES_MAX, WORKSPACE_SIZE_MAX, WorkspaceError, WorkspacePath};

/// No write takes so long: an older temporary file was left by a process that died.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// The most entries visited, folders included: more than paths can create. Only an operator can put more there.
const VISITED_MAX: usize = 10 * FILES_MAX;

/// The deepest folder visited: deeper than a path can go.
const DEPTH_MAX: usize = 10;

/// The files of a workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Usage {
    n_files: usize,
    size: u64,
    n_visited: usize,
}

/// Whether a name is that of a temporary file.
pub(super) fn is_own(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(WorkspacePath::OWN_PREFIX))
}

/// Checks that a file of this size may be written, in place of one of `old` bytes if there is one.
pub(super) fn check_room(workspace: &Dir, old: Option<u64>, size: u64) -> Result<(), WorkspaceError> {
    let mut usage = Usage::default();
    add(workspace, DEPTH_MAX, &mut usage)?;
    let way_on = "Nothing was written. A file can be overwritten with less, and the operator can remove files.";
    let n_files = usage.n_files + usize::from(old.is_none());
    if FILES_MAX < n_files || VISITED_MAX <= usage.n_visited {
        return Err(WorkspaceError::refused(format!(
            "The workspace is full: {FILES_MAX} files are the most. {way_on}"
        )));
    }
    let used = usage.size.saturating_sub(old.unwrap_or(0));
    if WORKSPACE_SIZE_MAX < used.saturating_add(size) {
        let mib = WORKSPACE_SIZE_MAX / (1024 * 1024);
        return Err(WorkspaceError::refused(format!(
            "The workspace is full: its files may have {mib} MiB together. {way_on}"
        )));
    }
    Ok(())
}

/// How many files a workspace has.
pub(super) fn n_files(workspace: &Dir) -> io::Result<usize> {
    let mut usage = Usage::default();
    add(workspace, DEPTH_MAX, &mut usage)?;
    Ok(usage.n_files)
}

/// Adds up a folder and `depth` levels of folders below it. Follows no link.
fn add(folder: &Dir, depth: usize, usage: &mut Usage) -> io::Result<()> {
    for entry in folder.entries()? {
        let entry = entry?;
        usage.n_visited += 1;
        if VISITED_MAX <= usage.n_visited {
            return Ok(());
        }
        let Some(facts) = found(entry.metadata())? else { continue };
        if is_own(&entry.file_name()) {
            remove_left_behind(&entry, &facts);
        } else if !facts.is_dir() {
            usage.n_files += 1;
            usage.size = usage.size.saturating_add(facts.len());
        } else if let Some(depth) = depth.checked_sub(1) {
            add(&entry.open_dir()?, depth, usage)?;
        }
    }
    Ok(())
}

fn remove_left_behind(entry: &DirEntry, facts: &Metadata) {
    let modified = facts.modified().ok().map(cap_std::time::SystemTime::into_std);
    let age = modified.and_then(|at| SystemTime::now().duration_since(at).ok());
    if age.is_some_and(|age| LEFT_BEHIND < age) {
        // One that stays is tried again at the next write.
        drop(entry.remove_file());
    }
}
