//! Candor: a self-hosted Discord bot that never fakes a command.
//!
//! This crate starts the bot: [`app`] builds everything once and owns shutdown, [`cli`] turns arguments into an exit
//! code, and [`console`] is the bot in a terminal. `ARCHITECTURE.md` describes the parts, what must always hold, and the
//! ways of a slash command and of a chat message.

pub mod app;
pub mod cli;
pub mod console;
