//! Chat on Discord: a person, a scripted model, and what the channel shows of their turns.

mod budget;
mod calls;
mod context;
mod flood;
mod growing;
mod interrupted;
mod places;
mod queue;
mod reply_menu;
pub(crate) mod talking;
mod turn;
mod words;
