//! `/help`: made from the registry, so it cannot list a command that does not exist.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use candor_core::contract::{Call, Command, CommandError, Localized, Suggestion, text_form};
use candor_core::inbound::CommandType;
use candor_core::language::{Language, say};
use candor_core::reply::{Field, Reply};
use candor_core::text::{excerpt, in_code_spans, nearest};

/// The most fields of one answer. With groups, a command may have more subcommands than that.
const FIELDS_MAX: usize = 25;

/// What `/help` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct HelpArguments {
    /// The command to explain
    command: Option<String>,
}

pub(super) async fn help(arguments: HelpArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let commands = call.services.commands()?.usable();
    let slash = || commands.iter().filter(|command| command.command_type == CommandType::Slash);
    let Some(asked) = arguments.command else {
        let line = |command: &Arc<Command>| format!("`/{}` {}", command.name, described(command, language));
        let list = slash().map(line).collect::<Vec<_>>().join("\n");
        let chats = call.services.talk().is_ok_and(|talk| !talk.models().is_empty());
        let chat = match chats {
            true => say!(language, "help-chat"),
            false => say!(language, "help-no-chat"),
        };
        let menus = menu_lines(&commands, language).into_iter().map(|line| format!("\n{line}")).collect::<String>();
        let text = format!("{list}{menus}\n\n{chat}");
        return Ok(Reply::text(text).titled(say!(language, "help-title")));
    };
    let name = asked.trim().trim_start_matches('/');
    match slash().find(|command| command.name == name) {
        Some(command) => Ok(explain(command, language)),
        None => {
            let near = nearest(name, slash().map(|command| command.name.as_str()), 1);
            let command = format!("/{}", excerpt(name));
            Err(CommandError::tell(match near.first() {
                Some(near) => say!(language, "help-unknown-near", command = command, near = format!("/{near}")),
                None => say!(language, "help-unknown", command = command),
            }))
        }
    }
}

/// A line for each kind of context menu that has commands for this caller.
fn menu_lines(commands: &[Arc<Command>], language: Language) -> Vec<String> {
    let names = |menu: CommandType| {
        let names = commands.iter().filter(|command| command.command_type == menu).map(|command| &command.name);
        Some(in_code_spans(names)).filter(|names| !names.is_empty())
    };
    let of_users = names(CommandType::UserMenu).map(|names| say!(language, "help-user-menu", commands = names));
    let of_messages =
        names(CommandType::MessageMenu).map(|names| say!(language, "help-message-menu", commands = names));
    of_users.into_iter().chain(of_messages).collect()
}

/// What a command does, in this language if its manifest says so.
fn described(command: &Command, language: Language) -> &str {
    localized(&command.localized, language).unwrap_or(&command.description)
}

fn localized(words: &Localized, language: Language) -> Option<&str> {
    words.descriptions.get(language.tag()).map(String::as_str)
}

fn explain(command: &Command, language: Language) -> Reply {
    if FIELDS_MAX < command.leaves().count() {
        let usages = command.leaves().map(|leaf| format!("`{}`", text_form::usage(leaf)));
        let text = format!("{}\n{}", described(command, language), usages.collect::<Vec<_>>().join("\n"));
        return Reply::text(text).titled(format!("/{}", command.name));
    }
    let usages = command.leaves().map(|leaf| {
        let options = leaf.options.iter().map(|option| {
            let described = localized(&option.localized, language).unwrap_or(&option.description);
            format!("`{}`: {described}", option.name)
        });
        Field { name: text_form::usage(leaf), value: options.collect::<Vec<_>>().join("\n") }
    });
    Reply {
        title: Some(format!("/{}", command.name)),
        text: described(command, language).to_owned(),
        fields: usages.collect(),
        ..Reply::default()
    }
}

pub(super) async fn names(typed: String, call: Call) -> Vec<Suggestion> {
    let typed = typed.trim_start_matches('/').to_lowercase();
    let commands = call.services.commands().map(|commands| commands.usable()).unwrap_or_default();
    let slash = commands.iter().filter(|command| command.command_type == CommandType::Slash);
    let matching = slash.filter(|command| command.name.contains(&typed));
    matching.map(|command| Suggestion::from(format!("/{}", command.name))).collect()
}
