//! Messages addressed to the bot, and the replies to them.

pub(crate) mod again;
mod answer;
mod channel;
mod context;
mod growing;
pub(crate) mod interrupted;
mod question;
mod surface;
pub(crate) mod target;
mod typing;
pub(crate) mod waiting;
