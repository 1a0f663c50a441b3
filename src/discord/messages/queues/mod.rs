//! Messages stored until they are sent: answers of due calls, and messages of modules to channels. Also the signed heads
//! of the receipts.

pub(crate) mod due;
pub(crate) mod guilds;
pub(crate) mod heads;
pub(crate) mod outbox;
pub(crate) mod scheduled;
