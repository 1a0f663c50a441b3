//! Chat: conversations, the records of turns, replies that are being written, and what was used in a day.

mod conversations;
mod open_replies;
mod spending;
mod turns;
