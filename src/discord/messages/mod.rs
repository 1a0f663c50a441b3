//! Messages addressed to the bot, and the replies to them.

mod answer;
pub(crate) mod ask_again;
mod channel;
mod context;
mod question;
pub(crate) mod queues;
pub(crate) mod recovery;
mod stream;
mod surface;
