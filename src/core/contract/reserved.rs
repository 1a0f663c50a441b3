//! Names that belong to the built-in commands.

use crate::inbound::CommandType;

/// Command names reserved for built-in commands.
pub const RESERVED: [&str; 5] = ["help", "clear", "model", "receipt", "privacy"];

/// The built-in message context-menu command that shows what the model wrote in the turn behind one of the bot's replies.
pub const WHAT_IT_SAID: &str = "What it said";

/// Context-menu commands reserved for built-in ones.
pub(crate) const RESERVED_MENU_COMMANDS: [(CommandType, &str); 1] = [(CommandType::MessageMenu, WHAT_IT_SAID)];
