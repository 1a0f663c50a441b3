//! What is in force where a command is called: the commands, and the settings of its guild.

mod commands;
mod guild;

pub use commands::{CommandBook, OwnCommands};
pub use guild::{GuildBook, SettingOfModule};
