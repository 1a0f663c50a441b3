//! The runs under way.

mod flight;
mod flights;

pub(super) use flight::{Ended, Flight, NotBegun};
pub use flights::Flights;
pub(super) use flights::RunGuard;
