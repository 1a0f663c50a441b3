//! Workspaces: a folder of files per community.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::contract::services::workspace::error::{NotDone, WorkspaceError};
use crate::contract::services::workspace::path::WorkspacePath;
use crate::contract::services::workspace::refusal::WorkspaceRefusal;
use crate::inbound::Place;
use crate::language::Language;

/// The workspaces of all communities. The place of a call selects the workspace; text from users never does.
#[async_trait]
pub trait Workspaces: Send + Sync {
    /// Returns the contents of a folder; `None` is the workspace's root.
    async fn list(&self, place: Place, folder: Option<&WorkspacePath>) -> Result<Listing, WorkspaceError>;
    /// Returns the whole content of a file.
    async fn read(&self, place: Place, file: &WorkspacePath) -> Result<Vec<u8>, WorkspaceError>;
    /// Writes a whole file, creating missing parent folders. At every moment the file has either its old or its new
    /// content. With `over`, the file is written only if it still has this content.
    async fn write(
        &self,
        place: Place,
        file: &WorkspacePath,
        content: &[u8],
        over: Option<&[u8]>,
    ) -> Result<Written, WorkspaceError>;
    /// Removes a file, and its parent folders if they become empty. Returns its size in bytes.
    async fn remove(&self, place: Place, file: &WorkspacePath) -> Result<u64, WorkspaceError>;
}

/// The workspace of one community, for one caller. Refusals are in the caller's language.
pub struct OwnWorkspace<'a> {
    workspaces: &'a dyn Workspaces,
    place: Place,
    language: Language,
}

impl<'a> OwnWorkspace<'a> {
    pub(crate) fn new(workspaces: &'a dyn Workspaces, place: Place, language: Language) -> Self {
        Self { workspaces, place, language }
    }

    /// Returns the contents of a folder; `None` is the workspace's root.
    pub async fn list(&self, folder: Option<&str>) -> Result<Listing, NotDone> {
        let folder = folder.map(WorkspacePath::of_folder).transpose().map_err(|problem| self.told(&problem.into()))?;
        self.workspaces.list(self.place, folder.as_ref()).await.map_err(|problem| self.error(problem))
    }

    /// Returns the whole text of a file. A file that is not UTF-8 is refused.
    pub async fn read(&self, path: &str) -> Result<String, NotDone> {
        let (path, content) = self.content(path).await?;
        String::from_utf8(content).map_err(|_| self.told(&WorkspaceRefusal::NoText(path)))
    }

    /// Returns the whole content of a file of any type.
    pub async fn read_bytes(&self, path: &str) -> Result<Vec<u8>, NotDone> {
        self.content(path).await.map(|(_, content)| content)
    }

    /// Writes a whole file. See [`Workspaces::write`].
    pub async fn write(&self, path: &str, content: impl AsRef<[u8]> + Send) -> Result<Written, NotDone> {
        let written = self.workspaces.write(self.place, &self.file(path)?, content.as_ref(), None).await;
        written.map_err(|problem| self.error(problem))
    }

    /// Writes a whole file if it still has the content `old`. Otherwise it is refused, so that a concurrent change is
    /// not lost.
    pub async fn rewrite(
        &self,
        path: &str,
        old: impl AsRef<[u8]> + Send,
        content: impl AsRef<[u8]> + Send,
    ) -> Result<Written, NotDone> {
        let path = self.file(path)?;
        let old = Some(old.as_ref());
        let written = self.workspaces.write(self.place, &path, content.as_ref(), old).await;
        written.map_err(|problem| self.error(problem))
    }

    /// Removes a file. See [`Workspaces::remove`].
    pub async fn remove(&self, path: &str) -> Result<u64, NotDone> {
        let removed = self.workspaces.remove(self.place, &self.file(path)?).await;
        removed.map_err(|problem| self.error(problem))
    }

    /// Parses the path of a file, without checking that it exists.
    pub fn file(&self, path: &str) -> Result<WorkspacePath, NotDone> {
        WorkspacePath::of_file(path).map_err(|problem| self.told(&problem.into()))
    }

    async fn content(&self, path: &str) -> Result<(WorkspacePath, Vec<u8>), NotDone> {
        let path = self.file(path)?;
        let content = self.workspaces.read(self.place, &path).await.map_err(|problem| self.error(problem))?;
        Ok((path, content))
    }

    fn error(&self, problem: WorkspaceError) -> NotDone {
        match problem {
            WorkspaceError::Refused(refusal) => self.told(&refusal),
            WorkspaceError::Internal(problem) => NotDone::Internal(problem),
        }
    }

    fn told(&self, refusal: &WorkspaceRefusal) -> NotDone {
        NotDone::Told(refusal.told(self.language))
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
