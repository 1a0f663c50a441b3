//! A folder of text files for each community, and the paths that may be asked for in it.

mod error;
mod folder;
mod path;

pub use error::WorkspaceError;
pub use folder::{FILE_SIZE_MAX, FILES_MAX, FileEntry, Listing, OwnWorkspace, WORKSPACE_SIZE_MAX, Workspaces, Written};
pub use path::WorkspacePath;
