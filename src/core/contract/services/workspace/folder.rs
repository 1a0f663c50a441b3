//! A folder of text files for each community, and the paths that may be asked for in it.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::contract::services::workspace::error::WorkspaceError;
use crate::contract::services::workspace::path::WorkspacePath;
use crate::inbound::Place;

/// The largest file, in bytes.
pub const FILE_SIZE_MAX: u64 = 256 * 1024;
/// Files in one workspace.
pub const FILES_MAX: usize = 200;
/// All files of one workspace together, in bytes.
pub const WORKSPACE_SIZE_MAX: u64 = 16 * 1024 * 1024;

/// The workspaces of all communities. Which one is meant comes from the place of a call, never from text.
#[async_trait]
pub trait Workspaces: Send + Sync {
    /// What is in a folder; `None` is the workspace itself.
    async fn list(&self, place: Place, folder: Option<&WorkspacePath>) -> Result<Listing, WorkspaceError>;
    /// The whole text of a file.
    async fn read(&self, place: Place, file: &WorkspacePath) -> Result<String, WorkspaceError>;
    /// Writes a whole file, and the folders above it where there are none. The file has its old content or the
    /// new one at every moment.
    async fn write(&self, place: Place, file: &WorkspacePath, content: &str) -> Result<Written, WorkspaceError>;
}

/// The workspace of one community: all that a module can reach of them.
pub struct OwnWorkspace<'a> {
    workspaces: &'a dyn Workspaces,
    place: Place,
}

impl<'a> OwnWorkspace<'a> {
    pub(crate) fn new(workspaces: &'a dyn Workspaces, place: Place) -> Self {
        Self { workspaces, place }
    }

    /// What is in a folder; `None` is the workspace itself.
    pub async fn list(&self, folder: Option<&str>) -> Result<Listing, WorkspaceError> {
        let folder = folder.map(WorkspacePath::of_folder).transpose()?;
        self.workspaces.list(self.place, folder.as_ref()).await
    }

    /// The whole text of a file.
    pub async fn read(&self, path: &str) -> Result<String, WorkspaceError> {
        self.workspaces.read(self.place, &WorkspacePath::of_file(path)?).await
    }

    /// See [`Workspaces::write`].
    pub async fn write(&self, path: &str, content: &str) -> Result<Written, WorkspaceError> {
        self.workspaces.write(self.place, &WorkspacePath::of_file(path)?, content).await
    }
}

/// What is in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// By name.
    pub entries: Vec<FileEntry>,
    /// False if there is more: links, names that could not be asked for, or too many entries.
    pub is_whole: bool,
}

/// A file, or a folder in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Its name. Untrusted, but a part of a [`WorkspacePath`].
    pub name: String,
    /// Its size in bytes; a folder has none.
    pub size: Option<u64>,
    /// When it was changed, where the system knows.
    pub modified: Option<SystemTime>,
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// There was no such file.
    Created,
    /// The file had another content before.
    Replaced,
}
