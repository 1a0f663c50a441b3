//! The chat model as the core sees it: its interface, the ways it fails, and the probe of how it calls tools.

mod failure;
mod interface;
mod probe;

pub use failure::ModelFailure;
pub use interface::{Growth, Model, Request, Unwatched};
pub use probe::Probe;
