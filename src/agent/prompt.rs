//! What the model is told about itself before the conversation.

use crate::contract::CommandKind;
use crate::registry::Catalog;

/// What the model must not get wrong, whatever the operator says.
const FACTS: &str = "You are the chat part of a Discord bot. You have no tools in this conversation: you cannot run \
     commands, read files or look anything up. Never write a command's output, a tool call or a receipt. If a question \
     needs live data, say which slash command the person can type.";

/// The system text: the operator's words, the facts, and every command that this caller may use.
pub fn system_prompt(operator: &str, catalog: &Catalog) -> String {
    let commands = command_lines(catalog);
    let commands = match commands.as_slice() {
        [] => "There are no slash commands.".to_owned(),
        lines => format!("These are all the slash commands that exist:\n{}", lines.join("\n")),
    };
    let parts = [operator.trim(), FACTS, &commands];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// A line for everything that can be typed.
fn command_lines(catalog: &Catalog) -> Vec<String> {
    let mut lines = Vec::new();
    for command in catalog.commands() {
        let name = &command.name;
        match &command.kind {
            CommandKind::Leaf(_) => lines.push(format!("/{name} - {}", command.description)),
            CommandKind::Parent(subcommands) => lines.extend(
                subcommands
                    .iter()
                    .map(|subcommand| format!("/{name} {} - {}", subcommand.name, subcommand.description)),
            ),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::contract::{
        AcceptedModule, Call, Checked, Command, CommandError, Handler, Leaf, NativeModule, NoArguments, Owner,
        Subcommand,
    };
    use crate::registry::Registry;
    use crate::reply::Reply;

    async fn nothing(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
        Ok(Reply::text("nothing"))
    }

    fn handler() -> Handler {
        let module = NativeModule::new("example", "").handler("nothing", nothing);
        module.handlers.into_iter().next().unwrap().handler
    }

    fn leaf() -> Leaf {
        Leaf { options: Vec::new(), handler: handler(), tool: false }
    }

    fn command(name: &str, description: &str, kind: CommandKind) -> Command {
        let (name, description) = (name.to_owned(), description.to_owned());
        Command { name, description, owner: Owner::Harness, ephemeral: false, operators_only: false, kind }
    }

    fn catalog(commands: Vec<Command>) -> Catalog {
        let module =
            AcceptedModule { owner: Owner::Harness, summary: "Example".to_owned(), services: Vec::new(), commands };
        let checked = Checked { accepted: vec![module], ..Checked::default() };
        Catalog::new(Arc::new(Registry::build(checked)), false)
    }

    #[test]
    fn the_model_is_told_what_it_is_and_which_commands_this_caller_may_use() {
        let subcommand = |name: &str, description: &str| Subcommand {
            name: name.to_owned(),
            description: description.to_owned(),
            leaf: leaf(),
        };
        let tasks = vec![subcommand("add", "Add a task"), subcommand("list", "Show the open tasks")];
        let mut hidden = command("reload", "Reload", CommandKind::Leaf(leaf()));
        hidden.operators_only = true;
        let catalog = catalog(vec![
            command("status", "Show the live metrics", CommandKind::Leaf(leaf())),
            command("tasks", "A shared list of things to do", CommandKind::Parent(tasks)),
            hidden,
        ]);
        insta::assert_snapshot!(system_prompt("  Be brief and friendly.\n", &catalog), @r"
        Be brief and friendly.

        You are the chat part of a Discord bot. You have no tools in this conversation: you cannot run commands, read files or look anything up. Never write a command's output, a tool call or a receipt. If a question needs live data, say which slash command the person can type.

        These are all the slash commands that exist:
        /status - Show the live metrics
        /tasks add - Add a task
        /tasks list - Show the open tasks
        ");
    }

    #[test]
    fn a_bot_without_words_or_commands_still_says_what_it_cannot_do() {
        insta::assert_snapshot!(system_prompt(" \n", &catalog(Vec::new())), @r"
        You are the chat part of a Discord bot. You have no tools in this conversation: you cannot run commands, read files or look anything up. Never write a command's output, a tool call or a receipt. If a question needs live data, say which slash command the person can type.

        There are no slash commands.
        ");
    }
}
