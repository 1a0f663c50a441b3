//! Names that belong to the built-in commands.

use crate::inbound::CommandType;

/// Command names reserved for built-in commands.
pub const RESERVED: [&str; 4] = ["help", "clear", "model", "receipt"];

/// The built-in message context-menu command that removes made-up output from one of the bot's replies.
pub const REMOVE_MADE_UP: &str = "Remove made-up output";

/// Context-menu commands reserved for built-in ones.
pub(crate) const RESERVED_MENU_COMMANDS: [(CommandType, &str); 1] = [(CommandType::MessageMenu, REMOVE_MADE_UP)];
