//! The limits of a workspace.

/// The largest size of a file, in bytes.
pub const FILE_SIZE_MAX: u64 = 256 * 1024;
/// The most files in one workspace.
pub const FILES_MAX: usize = 200;
/// The largest total size of a workspace, in bytes.
pub const WORKSPACE_SIZE_MAX: u64 = 16 * 1024 * 1024;
