//! What is kept of commands: claims, cooldowns, changes and receipts.

mod chain;
mod claims;
mod commits;
mod cooldowns;
mod intents;
pub(super) mod ledger;
