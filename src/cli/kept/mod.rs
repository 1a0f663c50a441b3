//! What the store keeps: receipts, and what it has of people and of servers. Shown, exported, verified and erased.

mod privacy;
mod receipts;
mod settings;

pub(super) use privacy::{Personal, privacy};
pub(super) use receipts::{Receipts, receipts};
pub(super) use settings::{OfServers, settings};
