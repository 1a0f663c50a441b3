//! What is kept of commands: claims, cooldowns, changes and receipts.

mod chain;
mod claims;
mod commits;
mod cooldowns;
mod heads;
mod intents;
pub(super) mod ledger;
