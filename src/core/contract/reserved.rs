//! Names that belong to the built-in commands.

use crate::inbound::CommandType;

/// Command names reserved for built-in commands.
pub const RESERVED: [&str; 7] = ["help", "clear", "model", "receipt", "privacy", "calculate", "settings"];

/// The built-in slash commands that are of no use without a chat model.
pub(crate) const OF_CHAT: [&str; 5] = ["clear", "context", "model", "thread", "usage"];

/// The built-in message context-menu command that shows what the model wrote in the turn that led to one of the bot's
/// replies.
pub const WHAT_IT_SAID: &str = "What it said";

/// The built-in message context-menu command that has the messages asked again which one of the bot's replies answered.
pub const ASK_AGAIN: &str = "Ask again";

/// The built-in message context-menu command that deletes one of the bot's chat replies.
pub const DELETE_REPLY: &str = "Delete reply";

/// The built-in message context-menu command that hides the JSON with which one of the bot's chat replies begins.
pub const HIDE_JSON: &str = "Hide leading JSON";

/// The built-in message context-menu commands, which belong to no module.
pub const REPLY_MENUS: [&str; 4] = [WHAT_IT_SAID, ASK_AGAIN, DELETE_REPLY, HIDE_JSON];

/// Whether a context-menu command of this name is built in.
pub(crate) fn is_reserved_menu(command_type: CommandType, name: &str) -> bool {
    command_type == CommandType::MessageMenu && REPLY_MENUS.contains(&name)
}

/// How many context-menu commands of this type are built in.
pub(crate) fn n_reserved_menus(command_type: CommandType) -> usize {
    if command_type == CommandType::MessageMenu { REPLY_MENUS.len() } else { 0 }
}
