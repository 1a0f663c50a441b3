//! Workspaces: a folder of files per community.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::contract::services::workspace::error::WorkspaceError;
use crate::contract::services::workspace::path::WorkspacePath;
use crate::inbound::Place;

/// The largest size of a file, in bytes.
pub const FILE_SIZE_MAX: u64 = 256 * 1024;
/// The most files in one workspace.
pub const FILES_MAX: usize = 200;
/// The largest total size of a workspace, in bytes.
pub const WORKSPACE_SIZE_MAX: u64 = 16 * 1024 * 1024;

/// The workspaces of all communities. The place of a call selects the workspace, never any text.
#[async_trait]
pub trait Workspaces: Send + Sync {
    /// The contents of a folder; `None` is the workspace's root.
    async fn list(&self, place: Place, folder: Option<&WorkspacePath>) -> Result<Listing, WorkspaceError>;
    /// The whole content of a file.
    async fn read(&self, place: Place, file: &WorkspacePath) -> Result<Vec<u8>, WorkspaceError>;
    /// Writes a whole file, creating missing parent folders. At every moment the file has either its old or its new
    /// content.
    async fn write(&self, place: Place, file: &WorkspacePath, content: &[u8]) -> Result<Written, WorkspaceError>;
    /// Removes a file, and the folders above it that nothing is left in. Returns its size in bytes.
    async fn remove(&self, place: Place, file: &WorkspacePath) -> Result<u64, WorkspaceError>;
}

/// The workspace of one community.
pub struct OwnWorkspace<'a> {
    workspaces: &'a dyn Workspaces,
    place: Place,
}

impl<'a> OwnWorkspace<'a> {
    pub(crate) fn new(workspaces: &'a dyn Workspaces, place: Place) -> Self {
        Self { workspaces, place }
    }

    /// The contents of a folder; `None` is the workspace's root.
    pub async fn list(&self, folder: Option<&str>) -> Result<Listing, WorkspaceError> {
        let folder = folder.map(WorkspacePath::of_folder).transpose()?;
        self.workspaces.list(self.place, folder.as_ref()).await
    }

    /// The whole text of a file. What is no UTF-8 is refused.
    pub async fn read(&self, path: &str) -> Result<String, WorkspaceError> {
        String::from_utf8(self.read_bytes(path).await?)
            .map_err(|_| WorkspaceError::refused(format!("`{path}` is not text in UTF-8, so it is not read.")))
    }

    /// The whole content of a file, whatever it is.
    pub async fn read_bytes(&self, path: &str) -> Result<Vec<u8>, WorkspaceError> {
        self.workspaces.read(self.place, &WorkspacePath::of_file(path)?).await
    }

    /// See [`Workspaces::write`].
    pub async fn write(&self, path: &str, content: impl AsRef<[u8]> + Send) -> Result<Written, WorkspaceError> {
        self.workspaces.write(self.place, &WorkspacePath::of_file(path)?, content.as_ref()).await
    }

    /// See [`Workspaces::remove`].
    pub async fn remove(&self, path: &str) -> Result<u64, WorkspaceError> {
        self.workspaces.remove(self.place, &WorkspacePath::of_file(path)?).await
    }
}

/// The contents of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The entries, by name.
    pub entries: Vec<FileEntry>,
    /// False if entries are left out: links, names that no path may contain, or too many entries.
    pub is_whole: bool,
}

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// The name. Untrusted, but valid as a part of a [`WorkspacePath`].
    pub name: String,
    /// The size in bytes; `None` for a folder.
    pub size: Option<u64>,
    /// When it was last changed, if known.
    pub modified: Option<SystemTime>,
}

/// The effect of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The file is new.
    Created,
    /// The file existed.
    Replaced,
}
