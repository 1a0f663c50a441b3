//! The tables of commands: claims, intents, cooldowns, chained receipts, and answers that were not shown.

mod answers;
pub(in crate::edges::store) mod chain;
mod cooldowns;
mod intents;
pub(in crate::edges::store) mod ledger;
mod receipts;
