//! The tables of the store, one file for each kind of data.

mod answers;
pub(super) mod chain;
mod claims;
mod conversations;
mod cooldowns;
mod intents;
mod ledger;
mod live_messages;
mod receipts;
mod records;
mod registrations;
mod retention;
mod samples;
mod secrets;
mod turns;
