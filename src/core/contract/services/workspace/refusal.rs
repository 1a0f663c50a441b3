//! Why something is not done in a workspace, as the caller of a command is told.

use crate::contract::services::workspace::folder::{FILE_SIZE_MAX, FILES_MAX, WORKSPACE_SIZE_MAX};
use crate::contract::services::workspace::path::{FOLDERS_MAX, LENGTH_MAX, WorkspacePath};
use crate::language::{Language, say};

/// Why something is not done in a workspace. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkspaceRefusal {
    /// The text is no path.
    Path(PathProblem),
    /// There is no such file.
    NoFile(WorkspacePath),
    /// There is no such folder.
    NoFolder(WorkspacePath),
    /// It is a folder, and a file is needed.
    IsFolder(WorkspacePath),
    /// It is neither a file nor a folder.
    NotFile(WorkspacePath),
    /// A part of the path, named second, is no folder.
    NotThrough(WorkspacePath, String),
    /// It is a link, or goes through one.
    Link(WorkspacePath),
    /// The file is larger than [`FILE_SIZE_MAX`], and is not read.
    TooLarge(WorkspacePath),
    /// The file's bytes are no text.
    NoText(WorkspacePath),
    /// The file is another than the caller was shown.
    Changed(WorkspacePath),
    /// The new content is longer than [`FILE_SIZE_MAX`].
    ContentTooLarge,
    /// The workspace has [`FILES_MAX`] files.
    TooManyFiles,
    /// The workspace's files together would have more than [`WORKSPACE_SIZE_MAX`].
    Full,
    /// All workspaces together would have more than this, in bytes.
    AllFull(u64),
}

/// What is wrong with a text as a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathProblem {
    /// It has no character.
    Empty,
    /// It has more than 200 characters.
    TooLong,
    /// It begins with `/`.
    FromRoot,
    /// It has this character, which some system treats specially, or which nobody sees.
    Letter(char),
    /// It goes through more than eight folders.
    TooDeep,
    /// Two `/` stand beside each other.
    EmptyName,
    /// A name is `.` or `..`.
    Dots,
    /// A name ends with a dot.
    LastDot,
    /// A name begins or ends with a space.
    Space,
    /// A name has more than 255 bytes.
    LongName,
    /// A name is a device on Windows.
    Device,
    /// A name begins like the bot's own temporary files.
    Own,
}

impl WorkspaceRefusal {
    /// What the caller of a command is told: a plain sentence.
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

impl PathProblem {
    fn told(self, language: Language) -> String {
        match self {
            Self::Empty => say!(language, "path-empty"),
            Self::TooLong => say!(language, "path-too-long", max = LENGTH_MAX),
            Self::FromRoot => say!(language, "path-from-root"),
            Self::Letter(letter) => say!(language, "path-letter", letter = letter.escape_default().to_string()),
            Self::TooDeep => say!(language, "path-too-deep", max = FOLDERS_MAX),
            Self::EmptyName => say!(language, "path-empty-name"),
            Self::Dots => say!(language, "path-dots"),
            Self::LastDot => say!(language, "path-last-dot"),
            Self::Space => say!(language, "path-space"),
            Self::LongName => say!(language, "path-long-name"),
            Self::Device => say!(language, "path-device"),
            Self::Own => say!(language, "path-own", prefix = WorkspacePath::OWN_PREFIX),
        }
    }
}
