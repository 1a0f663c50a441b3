//! Watched files: the last good content of a file, always available, and its current problem.
//!
//! A thread of its own reads the file; no caller ever waits for the disk. Kernel events are only hints: after a hint
//! and a moment without another, the file is read whole, checked and compared. A tick does the same for what no kernel
//! reports: network and overlay file systems, a full event queue, exhausted limits. A content that is not whole and
//! valid is never shown; the one before it stays.

mod content;
mod document;
mod events;
mod file;
mod folders;
mod follower;
mod live;
mod mount;
mod options;
mod problem;
mod shared;

pub use content::FILE_SIZE_MAX;
pub use document::json_object;
pub use file::WatchedFile;
pub use folders::WatchedFolders;
pub use live::LiveMetrics;
pub use options::{Hints, WatchOptions};
pub use problem::{ContentProblem, Parse};
