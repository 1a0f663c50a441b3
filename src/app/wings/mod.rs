//! The parts that a build may leave out, each as it is and as it is refused.

pub(crate) mod operator;
pub(crate) mod outside;
pub(crate) mod server_store;
