//! Commands on the store's content: receipts, personal data and guild settings. They show, export, verify and erase.

mod output;
mod privacy;
mod proofs;
mod receipts;
mod settings;

pub(super) use privacy::{Personal, privacy};
pub(super) use receipts::{Receipts, receipts};
pub(super) use settings::{OfServers, settings};
