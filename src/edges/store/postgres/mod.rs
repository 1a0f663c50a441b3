//! The store in a PostgreSQL database, which several processes may share.
//!
//! Every operation is one transaction, and its commit is waited for. Where the outcome depends on what others do at the
//! same moment, the operation takes a lock by name first (`pg_advisory_xact_lock`), which ends with its transaction.

mod address;
mod cause;
mod connection;
mod migrations;
mod open_error;
mod server;

pub use address::Address;
pub use open_error::ServerError;
pub(crate) use server::Server;
