//! Workspaces: a folder of files per community, and the paths valid in it.

mod error;
mod folder;
mod path;
mod refusal;

pub use error::{NotDone, WorkspaceError};
pub use folder::{FILE_SIZE_MAX, FILES_MAX, FileEntry, Listing, OwnWorkspace, WORKSPACE_SIZE_MAX, Workspaces, Written};
pub use path::WorkspacePath;
pub use refusal::{PathProblem, WorkspaceRefusal};
