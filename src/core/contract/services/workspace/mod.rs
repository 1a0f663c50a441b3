//! Workspaces: a folder of files per community, and the paths valid in it.

mod error;
mod folder;
mod path;
mod refusal;

pub use error::{NotDone, WorkspaceError};
pub use folder::{FileEntry, Listing, OwnWorkspace, Workspaces, Written};
pub use path::{PathProblem, WorkspacePath};
pub use refusal::{FILE_SIZE_MAX, FILES_MAX, WORKSPACE_SIZE_MAX, WorkspaceRefusal};
