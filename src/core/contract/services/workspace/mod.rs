//! Workspaces: a folder of files per community, and the paths valid in it.

mod error;
mod folder;
mod path;

pub use error::WorkspaceError;
pub use folder::{FILE_SIZE_MAX, FILES_MAX, FileEntry, Listing, OwnWorkspace, WORKSPACE_SIZE_MAX, Workspaces, Written};
pub use path::WorkspacePath;
