//! Watched files: the last good content of a file, always available, and its current problem.
//!
//! A thread of its own reads the file; no caller ever waits for the disk. Kernel events are only hints: after a hint
//! and a quiet moment, the whole file is read, checked and compared. A tick does the same where the kernel reports
//! nothing: network and overlay file systems, a full event queue, exhausted limits. Incomplete or invalid content is
//! never shown; the previous content stays.

mod content;
mod document;
mod events;
mod file;
mod folders;
mod follower;
mod live;
mod mount;
mod options;
mod shared;

pub use content::{ContentProblem, FILE_SIZE_MAX, Parse};
pub use document::json_object;
pub use file::WatchedFile;
pub use folders::WatchedFolders;
pub use live::LiveMetrics;
pub use options::{Hints, WatchOptions};
