//! The store in one SQLite file.

/// Why the store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {}

/// The store in one SQLite file.
pub struct Sqlite {}
