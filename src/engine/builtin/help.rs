//! `/help`: generated from the registry, so it cannot list a command that does not exist.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use candor_core::contract::{
    Call, Command, CommandError, CommandKind, Leaf, Localized, Subcommand, Suggestion, text_form,
};
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
    let commands = call.services.commands()?.usable(&call.rules);
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
    let asked = asked.trim().trim_start_matches('/').split_whitespace().collect::<Vec<_>>();
    if let Some(found) = slash().find_map(|command| explain(command, &asked, language)) {
        return Ok(found);
    }
    let paths: Vec<_> = slash().flat_map(|command| paths(command)).collect();
    let name = asked.join(" ");
    let near = nearest(&name, paths.iter().map(String::as_str), 1);
    let command = format!("/{}", excerpt(&name));
    Err(CommandError::tell(match near.first() {
        Some(near) => say!(language, "help-unknown-near", command = command, near = format!("/{near}")),
        None => say!(language, "help-unknown", command = command),
    }))
}

/// Returns the paths that can be explained: the command, its groups and its subcommands, each once and without the
/// slash.
fn paths(command: &Command) -> Vec<String> {
    let mut paths = vec![command.name.clone()];
    for leaf in command.leaves() {
        let names: Vec<_> = leaf.path().names().collect();
        let below = (2..=names.len()).filter_map(|n| names.get(..n)).map(|names| names.join(" "));
        paths.extend(below.filter(|path| !paths.contains(path)).collect::<Vec<_>>());
    }
    paths
}

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

/// Returns a command's description, in this language if its manifest has it.
fn described(command: &Command, language: Language) -> &str {
    localized(&command.localized, language).unwrap_or(&command.description)
}

fn localized(words: &Localized, language: Language) -> Option<&str> {
    words.descriptions.get(language.tag()).map(String::as_str)
}

/// Explains the command, group or subcommand of these names. `None` if the command has no such names.
fn explain(command: &Command, names: &[&str], language: Language) -> Option<Reply> {
    let is_named = |leaf: &&Leaf| leaf.path().names().take(names.len()).eq(names.iter().copied());
    let leaves: Vec<_> = command.leaves().filter(is_named).collect();
    if leaves.is_empty() || names.is_empty() {
        return None;
    }
    let title = format!("/{}", names.join(" "));
    let about = about(command, names, language);
    if FIELDS_MAX < leaves.len() {
        let usages = leaves.iter().map(|leaf| format!("`{}`", text_form::usage(leaf, language)));
        let text = format!("{about}\n{}", usages.collect::<Vec<_>>().join("\n"));
        return Some(Reply::text(text).titled(title));
    }
    let usages = leaves.iter().map(|leaf| {
        let options = leaf.options.iter().map(|option| {
            let described = localized(&option.localized, language).unwrap_or(&option.description);
            format!("`{}`: {described}", option.name)
        });
        Field { name: text_form::usage(leaf, language), value: options.collect::<Vec<_>>().join("\n") }
    });
    let fields = usages.collect();
    Some(Reply { title: Some(title), text: about.to_owned(), fields, ..Reply::default() })
}

/// Returns the description of a command, or of its group or subcommand with this name.
fn about<'a>(command: &'a Command, names: &[&str], language: Language) -> &'a str {
    let own = described(command, language);
    let (CommandKind::Parent { subcommands, groups }, [_, first, rest @ ..]) = (&command.kind, names) else {
        return own;
    };
    let of_subcommand = |below: &'a [Subcommand], name: &str| {
        let known = below.iter().find(|known| known.name == name)?;
        Some(localized(&known.localized, language).unwrap_or(&known.description))
    };
    let group = groups.iter().find(|group| group.name == *first);
    let found = match (group, rest) {
        (None, _) => of_subcommand(subcommands, first),
        (Some(group), []) => Some(localized(&group.localized, language).unwrap_or(&group.description)),
        (Some(group), [second, ..]) => of_subcommand(&group.subcommands, second),
    };
    found.unwrap_or(own)
}

/// Suggests commands, and after a space the groups and subcommands of one.
pub(super) async fn names(typed: String, call: Call) -> Vec<Suggestion> {
    let typed = typed.trim_start_matches('/').to_lowercase();
    let commands = call.services.commands().map(|commands| commands.usable(&call.rules)).unwrap_or_default();
    let slash = commands.iter().filter(|command| command.command_type == CommandType::Slash);
    let known: Vec<_> = match typed.contains(' ') {
        true => slash.flat_map(|command| paths(command)).collect(),
        false => slash.map(|command| command.name.clone()).collect(),
    };
    known.iter().filter(|name| name.contains(&typed)).map(|name| Suggestion::from(format!("/{name}"))).collect()
}
