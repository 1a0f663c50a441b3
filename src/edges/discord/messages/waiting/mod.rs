//! Messages that the store keeps until they are sent: answers of calls that are due, and what modules send to channels.

pub(crate) mod due;
pub(crate) mod guilds;
pub(crate) mod outbox;
pub(crate) mod scheduled;
