//! Chat: conversations and their summaries, turn records, replies in progress, and daily use.

mod conversations;
mod open_replies;
pub(super) mod shared_words;
mod spending;
pub(super) mod summaries;
mod turns;
