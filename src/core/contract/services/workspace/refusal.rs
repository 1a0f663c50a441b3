//! Why a workspace operation was refused, as text for the caller of a command.

use crate::contract::services::workspace::path::{PathProblem, WorkspacePath};
use crate::language::{Language, say};

/// The largest size of a file, in bytes.
pub const FILE_SIZE_MAX: u64 = 256 * 1024;
/// The most files in one workspace.
pub const FILES_MAX: usize = 200;
/// The largest total size of a workspace, in bytes.
pub const WORKSPACE_SIZE_MAX: u64 = 16 * 1024 * 1024;

/// Why a workspace operation was refused. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkspaceRefusal {
    /// The text is not a valid path.
    Path(PathProblem),
    /// There is no such file.
    NoFile(WorkspacePath),
    /// There is no such folder.
    NoFolder(WorkspacePath),
    /// It is a folder, and a file is needed.
    IsFolder(WorkspacePath),
    /// It is neither a file nor a folder.
    NotFile(WorkspacePath),
    /// This part of the path is not a folder.
    NotThrough(WorkspacePath, String),
    /// It is a link, or leads through one.
    Link(WorkspacePath),
    /// The file is larger than [`FILE_SIZE_MAX`] and is not read.
    TooLarge(WorkspacePath),
    /// The file is not UTF-8 text.
    NoText(WorkspacePath),
    /// The file differs from the content that the caller was shown.
    Changed(WorkspacePath),
    /// The new content is longer than [`FILE_SIZE_MAX`].
    ContentTooLarge,
    /// The workspace has [`FILES_MAX`] files.
    TooManyFiles,
    /// The workspace's files together would exceed [`WORKSPACE_SIZE_MAX`].
    Full,
    /// All workspaces together would exceed this size, in bytes.
    AllFull(u64),
}

impl WorkspaceRefusal {
    /// Returns a plain sentence for the caller of a command.
    pub fn told(&self, language: Language) -> String {
        const KIB: u64 = 1024;
        const MIB: u64 = 1024 * KIB;
        let path = |path: &WorkspacePath| path.to_string();
        match self {
            Self::Path(problem) => say!(language, "workspace-path", problem = problem.told(language)),
            Self::NoFile(file) => say!(language, "workspace-no-file", path = path(file)),
            Self::NoFolder(folder) => say!(language, "workspace-no-folder", path = path(folder)),
            Self::IsFolder(folder) => say!(language, "workspace-is-folder", path = path(folder)),
            Self::NotFile(file) => say!(language, "workspace-not-file", path = path(file)),
            Self::NotThrough(file, name) => {
                say!(language, "workspace-not-through", path = path(file), name = name.as_str())
            }
            Self::Link(file) => say!(language, "workspace-link", path = path(file)),
            Self::TooLarge(file) => {
                say!(language, "workspace-too-large", path = path(file), kib = FILE_SIZE_MAX / KIB)
            }
            Self::NoText(file) => say!(language, "workspace-no-text", path = path(file)),
            Self::Changed(file) => say!(language, "workspace-changed", path = path(file)),
            Self::ContentTooLarge => say!(language, "workspace-content-too-large", kib = FILE_SIZE_MAX / KIB),
            Self::TooManyFiles => say!(language, "workspace-too-many-files", max = FILES_MAX),
            Self::Full => say!(language, "workspace-full", mib = WORKSPACE_SIZE_MAX / MIB),
            Self::AllFull(max) => say!(language, "workspace-all-full", mib = max / MIB),
        }
    }
}

impl From<PathProblem> for WorkspaceRefusal {
    fn from(problem: PathProblem) -> Self {
        Self::Path(problem)
    }
}
