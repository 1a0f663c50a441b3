//! The parts that a build may leave out: calls into each part, and the answers of a build without it.

pub(crate) mod operator;
pub(crate) mod outside;
pub(crate) mod server_store;
