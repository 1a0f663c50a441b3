//! Messages: which are for the bot, and the answers below them.

mod answer;
mod channel;
