//! Workspaces as folders on disk, opened with cap-std: no path and no link leads out of them.
//!
//! A workspace is a folder below one root, named after its [`Place`]: `guild-1`, `dm-2`, `console`. [`WorkspacePath`]
//! defines valid paths; this module follows only plain files and folders.

mod aside;
#[cfg(test)]
mod tests;
mod usage;

use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};

use crate::workspace::usage::AllUsage;
use crate::workspace::usage::found;
use candor_core::contract::{
    FILE_SIZE_MAX, FileEntry, Listing, WorkspaceError, WorkspacePath, WorkspaceRefusal, Workspaces, Written,
};
use candor_core::inbound::Place;
use candor_engine::PersonalFiles;

const LISTED_MAX: usize = 400;

#[derive(Clone, Debug)]
pub struct WorkspaceFolders(Arc<Root>);

#[derive(Debug)]
struct Root {
    path: PathBuf,
    /// The most bytes that all workspaces may hold together.
    size_max: u64,
    /// Serializes writes: the quotas are checked before a file is added.
    writing: Mutex<AllUsage>,
}

impl WorkspaceFolders {
    /// Opens the workspaces in `workspace` of this folder. Nothing is created before the first write.
    pub fn below(folder: &Path) -> Self {
        Self(Arc::new(Root { path: folder.join("workspace"), size_max: u64::MAX, writing: Mutex::default() }))
    }

    #[must_use]
    pub fn holding_at_most(self, size_max: u64) -> Self {
        Self(Arc::new(Root { path: self.0.path.clone(), size_max, writing: Mutex::default() }))
    }

    /// Runs file access on a blocking thread.
    async fn blocking<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Root) -> Result<T, WorkspaceError> + Send + 'static,
    ) -> Result<T, WorkspaceError> {
        let root = Arc::clone(&self.0);
        let done = tokio::task::spawn_blocking(move || act(&root)).await;
        done.unwrap_or_else(|broken| Err(io::Error::from(broken).into()))
    }
}

#[async_trait]
impl Workspaces for WorkspaceFolders {
    async fn list(&self, place: Place, folder: Option<&WorkspacePath>) -> Result<Listing, WorkspaceError> {
        let folder = folder.cloned();
        self.blocking(move |root| root.list(place, folder.as_ref())).await
    }

    async fn read(&self, place: Place, file: &WorkspacePath) -> Result<Vec<u8>, WorkspaceError> {
        let file = file.clone();
        self.blocking(move |root| root.read(place, &file)).await
    }

    async fn write(
        &self,
        place: Place,
        file: &WorkspacePath,
        content: &[u8],
        over: Option<&[u8]>,
    ) -> Result<Written, WorkspaceError> {
        let file = file.clone();
        let content = content.to_owned();
        let over = over.map(<[u8]>::to_vec);
        self.blocking(move |root| root.write(place, &file, &content, over.as_deref())).await
    }

    async fn remove(&self, place: Place, file: &WorkspacePath) -> Result<u64, WorkspaceError> {
        let file = file.clone();
        self.blocking(move |root| root.remove(place, &file)).await
    }
}

#[async_trait]
impl PersonalFiles for WorkspaceFolders {
    async fn remove_all(&self, place: Place) -> Result<u64, WorkspaceError> {
        self.blocking(move |root| root.remove_all(place)).await
    }
}

impl Root {
    fn list(&self, place: Place, path: Option<&WorkspacePath>) -> Result<Listing, WorkspaceError> {
        let empty = Listing { entries: Vec::new(), is_whole: true };
        let Some(workspace) = self.open(place)? else {
            return path.map_or(Ok(empty), |path| Err(no_folder(path)));
        };
        let folder = match path {
            Some(path) => descend(&workspace, path.parts(), path)?.ok_or_else(|| no_folder(path))?,
            None => workspace,
        };
        let mut listing = empty;
        for entry in folder.entries()? {
            if listing.entries.len() == LISTED_MAX {
                listing.is_whole = false;
                break;
            }
            let entry = entry?;
            if usage::is_own(&entry.file_name()) {
                continue;
            }
            match listed(&entry)? {
                Some(entry) => listing.entries.push(entry),
                None => listing.is_whole = false,
            }
        }
        listing.entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }

    fn read(&self, place: Place, path: &WorkspacePath) -> Result<Vec<u8>, WorkspaceError> {
        let missing = || WorkspaceRefusal::NoFile(path.clone());
        let workspace = self.open(place)?.ok_or_else(missing)?;
        let (above, name) = parted(path);
        let folder = descend(&workspace, above.into_iter(), path)?.ok_or_else(missing)?;
        let name = &name_there(&folder, name)?;
        // Checked before opening: opening a pipe waits for its writer.
        let facts = facts(&folder, name)?.ok_or_else(missing)?;
        check_file(&facts, path)?;
        content_of(&folder, name)?.ok_or_else(|| WorkspaceRefusal::TooLarge(path.clone()).into())
    }

    fn write(
        &self,
        place: Place,
        path: &WorkspacePath,
        content: &[u8],
        over: Option<&[u8]>,
    ) -> Result<Written, WorkspaceError> {
        let size = content.len() as u64;
        if FILE_SIZE_MAX < size {
            return Err(WorkspaceRefusal::ContentTooLarge.into());
        }
        // A panic elsewhere cannot leave this inconsistent: the usage behind the lock is counted again from time to
        // time.
        let mut all = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let workspace = self.create(place)?;
        let (above, name) = parted(path);
        let above_it = descend(&workspace, above.iter().copied(), path)?;
        let name = match &above_it {
            Some(folder) => &name_there(folder, name)?,
            None => name,
        };
        let old = above_it.as_ref().map(|folder| facts(folder, name)).transpose()?.flatten();
        if let Some(old) = &old {
            check_file(old, path)?;
        }
        if let Some(over) = over {
            let now = match (&above_it, &old) {
                (Some(folder), Some(_)) => content_of(folder, name)?,
                _ => None,
            };
            if now.as_deref() != Some(over) {
                return Err(WorkspaceRefusal::Changed(path.clone()).into());
            }
        }
        let old_size = old.as_ref().map(Metadata::len);
        usage::check_room(&workspace, old_size, size)?;
        all.check_room(&self.path, self.size_max, old_size.unwrap_or(0), size)?;

        let folder = create_above(&workspace, &above)?;
        aside::replace(&workspace, &folder, name, content)?;
        all.replaced(old_size.unwrap_or(0), size);
        // Makes the new name survive a power cut. If the system cannot do this, there is no alternative.
        drop(folder.into_std_file().sync_all());
        Ok(if old.is_some() { Written::Replaced } else { Written::Created })
    }

    fn remove(&self, place: Place, path: &WorkspacePath) -> Result<u64, WorkspaceError> {
        let missing = || WorkspaceRefusal::NoFile(path.clone());
        let mut all = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let workspace = self.open(place)?.ok_or_else(missing)?;
        let (above, name) = parted(path);
        let folder = descend(&workspace, above.iter().copied(), path)?.ok_or_else(missing)?;
        let name = &name_there(&folder, name)?;
        let facts = facts(&folder, name)?.ok_or_else(missing)?;
        check_file(&facts, path)?;
        folder.remove_file(name)?;
        all.replaced(facts.len(), 0);
        // Keeps the file from reappearing after a power cut, if the system can do this.
        drop(folder.into_std_file().sync_all());
        let above = std::iter::successors(Some(above.as_slice()), |rest| rest.split_last().map(|(_, rest)| rest));
        for folder in above.take_while(|folder| !folder.is_empty()) {
            // Fails if the folder is not empty.
            if workspace.remove_dir(folder.join("/")).is_err() {
                break;
            }
        }
        Ok(facts.len())
    }

    fn remove_all(&self, place: Place) -> Result<u64, WorkspaceError> {
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(workspace) = self.open(place)? else { return Ok(0) };
        let n_files = usage::n_files(&workspace)?;
        let root = Dir::open_ambient_dir(&self.path, ambient_authority())?;
        found(root.remove_dir_all(folder_name(place)))?;
        // Keeps the files from reappearing after a power cut, if the system can do this.
        drop(root.into_std_file().sync_all());
        Ok(n_files as u64)
    }

    fn open(&self, place: Place) -> Result<Option<Dir>, WorkspaceError> {
        let Some(root) = found(Dir::open_ambient_dir(&self.path, ambient_authority()))? else {
            return Ok(None);
        };
        let name = folder_name(place);
        match facts(&root, &name)? {
            Some(facts) if facts.is_dir() => Ok(found(root.open_dir(&name))?),
            Some(_) => Err(io::Error::other(format!("`{name}` in the workspace folder is not a folder")).into()),
            None => Ok(None),
        }
    }

    fn create(&self, place: Place) -> Result<Dir, WorkspaceError> {
        create_root(&self.path)?;
        let root = Dir::open_ambient_dir(&self.path, ambient_authority())?;
        made(root.create_dir(folder_name(place)))?;
        self.open(place)?.ok_or_else(|| io::Error::from(ErrorKind::NotFound).into())
    }
}

/// Creates the root folder with access for its owner only, as the store does.
fn create_root(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Returns the folder name of a place. It consists of numbers: no untrusted text is part of it.
fn folder_name(place: Place) -> String {
    match place {
        Place::Guild { guild, channel: _ } => format!("guild-{guild}"),
        Place::Direct { channel } => format!("dm-{channel}"),
        Place::Console => "console".to_owned(),
    }
}

/// Splits a path into the folders above a file, and its name.
fn parted(path: &WorkspacePath) -> (Vec<&str>, &str) {
    let mut parts: Vec<_> = path.parts().collect();
    let name = parts.pop().unwrap_or_default();
    (parts, name)
}

/// Opens a folder below another, if it exists. Follows no link.
fn descend<'a>(
    from: &Dir,
    parts: impl Iterator<Item = &'a str>,
    path: &WorkspacePath,
) -> Result<Option<Dir>, WorkspaceError> {
    let mut folder = from.try_clone()?;
    for part in parts {
        let name = name_there(&folder, part)?;
        match facts(&folder, &name)? {
            Some(facts) if facts.is_dir() => folder = folder.open_dir(name)?,
            Some(facts) if facts.is_symlink() => return Err(is_link(path)),
            Some(_) => return Err(WorkspaceRefusal::NotThrough(path.clone(), part.to_owned()).into()),
            None => return Ok(None),
        }
    }
    Ok(Some(folder))
}

/// Opens a folder below another and creates missing parts. [`descend`] has checked the existing ones.
fn create_above(from: &Dir, parts: &[&str]) -> io::Result<Dir> {
    let mut folder = from.try_clone()?;
    for name in parts {
        let name = name_there(&folder, name)?;
        made(folder.create_dir(&name))?;
        folder = folder.open_dir(name)?;
    }
    Ok(folder)
}

/// Reads a file; `None` if it is larger than a file may be.
fn content_of(folder: &Dir, name: &str) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    folder.open(name)?.take(FILE_SIZE_MAX + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= FILE_SIZE_MAX).then_some(bytes))
}

/// Returns the name as the folder spells it: other systems may use another Unicode composition.
fn name_there(folder: &Dir, name: &str) -> io::Result<String> {
    if !name.is_ascii() && facts(folder, name)?.is_none() {
        for entry in folder.entries()? {
            let there = entry?.file_name();
            if let Some(there) = there.to_str().filter(|there| composed(there).as_deref() == Some(name)) {
                return Ok(there.to_owned());
            }
        }
    }
    Ok(name.to_owned())
}

/// Returns a name on disk in the form of paths; `None` if no path can have it.
fn composed(name: &str) -> Option<String> {
    WorkspacePath::of_file(name).ok().map(|path| path.to_string())
}

/// Returns the metadata of a name in a folder; for a link, the link's own.
fn facts(folder: &Dir, name: &str) -> io::Result<Option<Metadata>> {
    found(folder.symlink_metadata(name))
}

/// Checks that it is a plain file; the error is for the person.
fn check_file(facts: &Metadata, path: &WorkspacePath) -> Result<(), WorkspaceError> {
    if facts.is_file() {
        Ok(())
    } else if facts.is_dir() {
        Err(WorkspaceRefusal::IsFolder(path.clone()).into())
    } else if facts.is_symlink() {
        Err(is_link(path))
    } else {
        Err(WorkspaceRefusal::NotFile(path.clone()).into())
    }
}

/// Returns the list's entry for a file or folder. `None` for links, other kinds, and names that no path can have.
fn listed(entry: &cap_std::fs::DirEntry) -> io::Result<Option<FileEntry>> {
    let Some(name) = entry.file_name().to_str().and_then(composed) else { return Ok(None) };
    // Removed since the folder was read.
    let Some(facts) = found(entry.metadata())? else { return Ok(None) };
    if !facts.is_file() && !facts.is_dir() {
        return Ok(None);
    }
    let modified = facts.modified().ok().map(cap_std::time::SystemTime::into_std);
    Ok(Some(FileEntry { name, size: facts.is_file().then(|| facts.len()), modified }))
}

fn is_link(path: &WorkspacePath) -> WorkspaceError {
    WorkspaceRefusal::Link(path.clone()).into()
}

fn no_folder(path: &WorkspacePath) -> WorkspaceError {
    WorkspaceRefusal::NoFolder(path.clone()).into()
}

/// Accepts an existing folder.
fn made(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(problem) if problem.kind() != ErrorKind::AlreadyExists => Err(problem),
        _ => Ok(()),
    }
}
