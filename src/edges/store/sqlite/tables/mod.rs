//! The tables of the store, one file for each kind of data.

pub(crate) mod answers;
pub(crate) mod conversations;
pub(crate) mod cooldowns;
pub(crate) mod ledger;
pub(crate) mod live_messages;
pub(crate) mod records;
pub(crate) mod registrations;
pub(crate) mod samples;
pub(crate) mod secrets;
pub(crate) mod turns;
