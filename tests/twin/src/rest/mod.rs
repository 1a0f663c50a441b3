//! The REST server: checks, routes and records every request.

mod applications;
mod body;
mod channels;
mod commands;
pub(crate) mod errors;
pub(crate) mod fault;
mod interactions;
pub(crate) mod rate;
mod reply;
mod route;

pub use body::SentFile;
pub(crate) use body::{Part, boundary, parse, parts};
pub(crate) use commands::stored::stored_command;
pub(crate) use reply::Reply;
pub(crate) use route::{Answer, BASE, Call, Outcome, content_type, handle, says};
