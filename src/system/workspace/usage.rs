//! The quota of a workspace, and the temporary files that the bot leaves in it while it writes.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, Metadata};

use candor_core::contract::{FILES_MAX, WORKSPACE_SIZE_MAX, WorkspaceError, WorkspacePath, WorkspaceRefusal};

/// No write takes so long: an older temporary file was left by a process that died.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// How often all workspaces are counted again, at a write.
const COUNTED_EVERY: Duration = Duration::from_mins(10);

/// The most entries visited, folders included: more than paths can create. Only an operator can put more there.
const VISITED_MAX: usize = 10 * FILES_MAX;

/// The deepest folder visited: deeper than a path can go.
const DEPTH_MAX: usize = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Usage {
    n_files: usize,
    size: u64,
    n_visited: usize,
}

pub(super) fn is_own(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(WorkspacePath::OWN_PREFIX))
}

/// Checks that a file of this size may be written, in place of one of `old` bytes if there is one.
pub(super) fn check_room(workspace: &Dir, old: Option<u64>, size: u64) -> Result<(), WorkspaceError> {
    let mut usage = Usage::default();
    add(workspace, DEPTH_MAX, &mut usage)?;
    let n_files = usage.n_files + usize::from(old.is_none());
    if FILES_MAX < n_files || VISITED_MAX <= usage.n_visited {
        return Err(WorkspaceRefusal::TooManyFiles.into());
    }
    let used = usage.size.saturating_sub(old.unwrap_or(0));
    if WORKSPACE_SIZE_MAX < used.saturating_add(size) {
        return Err(WorkspaceRefusal::Full.into());
    }
    Ok(())
}

#[derive(Debug, Default)]
pub(super) struct AllUsage {
    size: u64,
    counted: Option<Instant>,
}

impl AllUsage {
    /// Checks that a file of `size` bytes may replace `old` bytes. A smaller file always may.
    pub(super) fn check_room(&mut self, root: &Path, max: u64, old: u64, size: u64) -> Result<(), WorkspaceError> {
        if size <= old {
            return Ok(());
        }
        // Operators and other processes change files as well.
        if self.counted.is_none_or(|at| COUNTED_EVERY <= at.elapsed()) {
            *self = Self { size: size_of_all(root)?, counted: Some(Instant::now()) };
        }
        if max < self.size.saturating_add(size - old) {
            return Err(WorkspaceRefusal::AllFull(max).into());
        }
        Ok(())
    }

    /// Records that a file of `size` bytes replaced `old` bytes.
    pub(super) fn replaced(&mut self, old: u64, size: u64) {
        self.size = self.size.saturating_add(size).saturating_sub(old);
    }
}

fn size_of_all(root: &Path) -> io::Result<u64> {
    let mut size = 0_u64;
    for entry in Dir::open_ambient_dir(root, ambient_authority())?.entries()? {
        let entry = entry?;
        if found(entry.metadata())?.is_some_and(|facts| facts.is_dir()) {
            let mut usage = Usage::default();
            add(&entry.open_dir()?, DEPTH_MAX, &mut usage)?;
            size = size.saturating_add(usage.size);
        }
    }
    Ok(size)
}

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
        // If this fails, the next write tries again.
        drop(entry.remove_file());
    }
}

/// Treats a missing file as `None` rather than as an error.
pub(super) fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}
