//! Messages stored until they are sent: answers of due calls, and messages of modules to channels.

pub(crate) mod due;
pub(crate) mod guilds;
pub(crate) mod outbox;
pub(crate) mod scheduled;
