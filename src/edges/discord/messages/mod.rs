//! Messages: which are addressed to the bot, and the replies to them.

mod answer;
pub(crate) mod asked;
mod channel;
mod growing;
mod written;
