//! The pure core of Candor.

#![deny(clippy::disallowed_methods)]

pub mod access;
pub mod agent;
pub mod contract;
pub mod diagnostic;
pub mod execution;
pub mod inbound;
pub mod language;
pub mod record;
pub mod registration;
pub mod registry;
pub mod reply;
pub mod router;
pub mod settings;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
