//! The store in a PostgreSQL database, which several processes may share.
//!
//! Every operation is one transaction, and returns after its commit. If its outcome depends on concurrent operations,
//! it first takes a named lock (`pg_advisory_xact_lock`), which ends with the transaction.

mod address;
mod connection;
mod migrations;
mod open_error;
mod server;

pub use address::Address;
pub use open_error::ServerError;
pub(crate) use server::Server;
