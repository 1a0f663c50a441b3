//! Services on the state in force at a call: the commands, the guild's settings and the guild's name.

mod commands;
mod guild;
mod server_names;

pub use commands::{CommandBook, OwnCommands};
pub use guild::{GuildBook, SettingOfModule};
pub use server_names::ServerNames;
