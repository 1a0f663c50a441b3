//! What is kept of chats: conversations and turns.

mod conversations;
mod open_replies;
mod turns;
