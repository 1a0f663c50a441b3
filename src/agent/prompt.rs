//! What the model is told about itself before the conversation.

use std::fmt::Write as _;

use crate::registry::Catalog;

/// The system text: the operator's words, and the facts the model must not get wrong.
pub fn system_prompt(operator: &str, catalog: &Catalog) -> String {
    let mut text = String::new();
    if !operator.is_empty() {
        text.push_str(operator.trim());
        text.push_str("\n\n");
    }
    text.push_str(
        "You are the chat part of a Discord bot. You have no tools in this conversation: you cannot run commands, \
         read files or look anything up. Never write a command's output, a tool call or a receipt. If a question \
         needs live data, say which slash command the person can type.\n\nThe slash commands that exist:\n",
    );
    for command in catalog.commands() {
        // Writing to a string cannot fail.
        let _written = writeln!(text, "/{} - {}", command.name, command.description);
    }
    text
}
