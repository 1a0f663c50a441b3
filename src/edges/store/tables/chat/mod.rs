//! Chat: conversations and their summaries, the records of turns, replies that are being written, and what was used in a day.

mod conversations;
mod key;
mod open_replies;
pub(super) mod shared_words;
mod spending;
pub(super) mod summaries;
mod turns;
