//! `/help`: made from the registry, so it cannot list what does not exist.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::contract::{Call, Command, CommandError, CommandSurface, Localized, Suggestion, text_form};
use crate::language::{Language, say};
use crate::nearest::nearest;
use crate::reply::{Field, Reply};
use crate::router::excerpt;

/// Fields of one answer. With groups a command may have more forms than that.
const FIELDS_MAX: usize = 25;

/// What `/help` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct HelpArguments {
    /// The command to explain
    command: Option<String>,
}

pub(super) async fn help(arguments: HelpArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let Some(asked) = arguments.command else {
        let line = |command: &Command| format!("`/{}` {}", command.name, described(command, language));
        let list = call.catalog.commands().map(line).collect::<Vec<_>>().join("\n");
        let chats = call.services.talk().is_ok_and(|talk| !talk.models().is_empty());
        let chat = match chats {
            true => say!(language, "help-chat"),
            false => say!(language, "help-no-chat"),
        };
        let menus = menu_lines(&call).into_iter().map(|line| format!("\n{line}")).collect::<String>();
        let text = format!("{list}{menus}\n\n{chat}");
        return Ok(Reply::text(text).titled(say!(language, "help-title")));
    };
    let name = asked.trim().trim_start_matches('/');
    match call.catalog.commands().find(|command| command.name == name) {
        Some(command) => Ok(explain(command, language)),
        None => {
            let near = nearest(name, call.catalog.commands().map(|command| command.name.as_str()), 1);
            let command = format!("/{}", excerpt(name));
            Err(CommandError::tell(match near.first() {
                Some(near) => say!(language, "help-unknown-near", command = command, near = format!("/{near}")),
                None => say!(language, "help-unknown", command = command),
            }))
        }
    }
}

/// A line for each menu that has entries for this caller.
fn menu_lines(call: &Call) -> Vec<String> {
    let entries = |menu: CommandSurface| {
        let names = call.catalog.menus().filter(|entry| entry.surface == menu).map(|entry| format!("`{}`", entry.name));
        Some(names.collect::<Vec<_>>().join(", ")).filter(|names| !names.is_empty())
    };
    let language = call.caller.language;
    let of_users = entries(CommandSurface::UserMenu).map(|entries| say!(language, "help-user-menu", entries = entries));
    let of_messages =
        entries(CommandSurface::MessageMenu).map(|entries| say!(language, "help-message-menu", entries = entries));
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
    if FIELDS_MAX < command.leaves().len() {
        let usages = command.leaves().into_iter().map(|(path, leaf)| format!("`{}`", text_form::usage(&path, leaf)));
        let text = format!("{}\n{}", described(command, language), usages.collect::<Vec<_>>().join("\n"));
        return Reply::text(text).titled(format!("/{}", command.name));
    }
    let usages = command.leaves().into_iter().map(|(path, leaf)| {
        let options = leaf.options.iter().map(|option| {
            let described = localized(&option.localized, language).unwrap_or(&option.description);
            format!("`{}`: {described}", option.name)
        });
        Field { name: text_form::usage(&path, leaf), value: options.collect::<Vec<_>>().join("\n") }
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
    let matching = call.catalog.commands().filter(|command| command.name.contains(&typed));
    matching.map(|command| Suggestion::from(format!("/{}", command.name))).collect()
}
