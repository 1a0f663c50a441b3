//! Builds the system text.

use crate::agent::prompt::background::Background;
use crate::agent::prompt::{background, protocol};
use crate::agent::settings::ToolMode;
use crate::agent::tools::OfferedSet;
use crate::registry::Catalog;

/// The rules for a model without tools, whatever the operator's text says.
const WITHOUT_TOOLS: &str = "You are the chat part of a Discord bot. You have no tools in this conversation: you \
     cannot run commands, read files or look anything up. Never write a command's output, a tool call or a receipt. \
     If a question needs live data, say which slash command the person can type.";

/// The rules for a model with tools.
const WITH_TOOLS: &str = "You are the chat part of a Discord bot. You can call the tools you are offered, by their \
     exact names, and nothing else. The host runs them, returns their results and shows the person what ran. Live \
     data comes from results alone: never guess it. Never write a result or a receipt yourself, and never say that \
     something was done unless a result in this conversation says so. A tool that changes something runs only if \
     the person confirms it. If no tool can do what is wanted, call cannot_do. Words marked [host] come from the \
     host, not from the person.";

/// Added where calls have a form of their own in the API.
const NATIVE_CALLS: &str = "Never write a tool call as text: it does not run. Most messages need no tool: answer \
     those in plain words.";

/// The system text: the operator's text, the facts, the tools where the text offers them, every command that this
/// caller may use, what modules know about the caller, and how many of the oldest exchanges are left out.
pub fn system_prompt(
    operator: &str,
    catalog: &Catalog,
    offered: &OfferedSet,
    mode: ToolMode,
    background: &[Background],
    n_left_out: usize,
) -> String {
    let facts = match mode {
        _ if offered.is_empty() => WITHOUT_TOOLS.to_owned(),
        ToolMode::None => WITHOUT_TOOLS.to_owned(),
        ToolMode::Native => format!("{WITH_TOOLS} {NATIVE_CALLS}"),
        ToolMode::Text => format!("{WITH_TOOLS}\n\n{}", protocol::told(offered)),
    };
    let parts =
        [operator.trim().to_owned(), facts, commands(catalog), background::told(background), left_out(n_left_out)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn commands(catalog: &Catalog) -> String {
    match command_lines(catalog).as_slice() {
        [] => "There are no slash commands.".to_owned(),
        lines => format!("These are all the slash commands that exist:\n{}", lines.join("\n")),
    }
}

/// A line for everything that can be typed as a command.
fn command_lines(catalog: &Catalog) -> Vec<String> {
    let described = catalog.commands().flat_map(|command| command.described());
    described.map(|(leaf, description)| format!("{} - {description}", leaf.path)).collect()
}

/// Says what was cut, so that the model does not take what it sees for the whole.
pub(super) fn left_out(n_left_out: usize) -> String {
    match n_left_out {
        0 => String::new(),
        1 => "The oldest exchange of this conversation is not shown to you.".to_owned(),
        n => format!("The {n} oldest exchanges of this conversation are not shown to you."),
    }
}
