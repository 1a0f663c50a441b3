//! What the store keeps of people and of servers, shown, exported and erased.

mod privacy;
mod settings;

pub(super) use privacy::{Personal, privacy};
pub(super) use settings::{OfServers, settings};
