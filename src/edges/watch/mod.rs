//! Watched files: the last good content of a file, always at hand, and what is wrong with the file now.
//!
//! A thread of its own reads the file; nobody who asks ever waits for the disk. What the kernel reports are
//! hints and nothing more: after a hint and a moment of quiet the file is read whole, checked and compared.
//! A tick does the same for what no kernel reports: network and overlay file systems, a full event queue,
//! used-up limits. A content that is not whole and valid is never shown; the one before it stays.

mod content;
mod document;
mod events;
mod file;
mod follower;
mod live;
mod mount;
mod options;
mod problem;
mod shared;

pub use content::FILE_SIZE_MAX;
pub use document::json_object;
pub use file::WatchedFile;
pub use live::LiveMetrics;
pub use options::{Hints, WatchOptions};
pub use problem::{Parse, Problem};
