//! What is in force where a command is called: the commands, the settings of its guild, and what that is called.

mod commands;
mod guild;
mod server_names;

pub use commands::{CommandBook, OwnCommands};
pub use guild::{GuildBook, SettingOfModule};
pub use server_names::ServerNames;
