//! The store in one SQLite file: one connection writes, a few read.
//!
//! A write is on the disk when its call returns: the file is in WAL mode and synced in full at every commit. Two
//! processes may share a file on one host, as they do while a new version replaces an old one.

mod answers;
mod cause;
mod columns;
mod connection;
mod conversations;
mod cooldowns;
mod ledger;
mod live_messages;
mod migrations;
mod open_error;
mod records;
mod registrations;
mod samples;
mod secrets;
#[cfg(test)]
mod tests;
mod turns;

pub use connection::Sqlite;
pub use open_error::OpenError;
