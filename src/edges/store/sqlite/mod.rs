//! The store in one SQLite file: one connection writes, a few read.
//!
//! A write is on the disk when its call returns: the file is in WAL mode and synced in full at every commit. Two
//! processes may share a file on one host, as they do while a new version replaces an old one.

mod cause;
mod columns;
mod connection;
mod migrations;
mod open_error;
mod tables;
#[cfg(test)]
mod tests;

pub use connection::Sqlite;
pub use open_error::OpenError;
