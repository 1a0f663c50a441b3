//! The tables of commands: claims, intents, cooldowns, chained receipts, and answers that were not shown.

mod answers;
mod append;
pub(crate) mod chain;
mod cooldowns;
mod intents;
pub(crate) mod ledger;
mod receipts;
