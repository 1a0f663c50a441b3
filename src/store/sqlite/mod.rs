//! The store in one SQLite file: one thread writes, one reads.
//!
//! A write is on the disk when its call returns: the file is in WAL mode and synced in full at every commit. Waiting
//! operations are committed together. Two processes on one host may share a file, as they do while a new version
//! replaces an old one.

mod connection;
mod file;
mod migrations;
mod open_error;
mod schema;
#[cfg(test)]
mod tests;
mod whole;
mod worker;

pub(crate) use file::{SqliteFile, create_folder};
pub use open_error::OpenError;
pub(crate) use whole::{check_is_store, copy, lock_alone, open_source};
