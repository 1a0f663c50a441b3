//! Names that belong to the built-in commands.

use crate::inbound::CommandType;

/// Command names reserved for built-in commands.
pub const RESERVED: [&str; 7] = ["help", "clear", "model", "receipt", "privacy", "calculate", "settings"];

/// The built-in slash commands that need a chat model.
pub(crate) const OF_CHAT: [&str; 5] = ["clear", "context", "model", "thread", "usage"];

/// The built-in message command that shows the model's output of the turn behind one of the bot's replies.
pub const WHAT_IT_SAID: &str = "What it said";

/// The built-in message command that sends the messages behind one of the bot's replies to the model again.
pub const ASK_AGAIN: &str = "Ask again";

/// The built-in message command that deletes one of the bot's chat replies.
pub const DELETE_REPLY: &str = "Delete reply";

/// The built-in message command that hides the JSON at the start of one of the bot's chat replies.
pub const HIDE_JSON: &str = "Hide leading JSON";

/// The built-in message commands. They belong to no module.
pub const REPLY_MENUS: [&str; 4] = [WHAT_IT_SAID, ASK_AGAIN, DELETE_REPLY, HIDE_JSON];

pub(crate) fn is_reserved_menu(command_type: CommandType, name: &str) -> bool {
    command_type == CommandType::MessageMenu && REPLY_MENUS.contains(&name)
}

pub(crate) fn n_reserved_menus(command_type: CommandType) -> usize {
    if command_type == CommandType::MessageMenu { REPLY_MENUS.len() } else { 0 }
}
