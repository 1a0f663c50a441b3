//! Checks one command: its key, owner, description and terms.

use crate::contract::check::commands::{terms, tree};
use crate::contract::check::declared_names::DeclaredNames;
use crate::contract::check::findings::Findings;
use crate::contract::check::subject::{Candidate, Part, Standing, bare_name};
use crate::contract::check::wording;
use crate::contract::check::wording::{NameRule, NamedItem};
use crate::contract::limits;
use crate::contract::manifest::{WrittenBody, WrittenCommand, WrittenCommandValue};
use crate::contract::reserved::RESERVED;
use crate::contract::spec::{Command, HandlerKind};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::inbound::{CommandPath, CommandType};

/// Checks one command. Returns `None`, and reports why, if it cannot be called at all.
pub(crate) fn check(
    written: &WrittenCommand,
    candidate: &Candidate,
    names: &mut DeclaredNames,
    found: &mut Findings,
) -> Option<Command> {
    let key = &written.key;
    let name = bare_name(&key.value);
    check_key(key, found);
    let is_new = declare(written, candidate, names, found);
    let body = match &written.value {
        WrittenCommandValue::Table(body) => body,
        WrittenCommandValue::BareHandler(handler) => {
            report_bare_handler(name, handler, candidate.kind, found);
            return None;
        }
        WrittenCommandValue::Unreadable => return None,
    };
    let part = Part { path: CommandPath::new(name, None), span: key.span.clone() };
    let description = wording::description(&body.description, &part, &body.leaf.path, found);
    let localized = wording::read(&body.localized, NameRule::Slash, &part.title(), found);
    if is_new {
        let named = NamedItem { name, localized: &localized, written: &body.localized, span: &key.span };
        let earlier = &mut names.commands(CommandType::Slash).localized;
        wording::check_against_earlier(&named, earlier, found);
        earlier.push((name.to_owned(), localized.clone(), candidate.declaration(found.file(), &key.span)));
    }
    let kind = tree::check(body, &part, candidate, names, found)?;
    let command = Command {
        localized,
        written_at: found.written_at(&key.span),
        chat_only: body.is_chat_only(),
        ..Command::new(name, description, candidate.owner(), kind)
    };
    check_chat_only(body, &command, found);
    let command = terms::apply(command, &body.terms, found);
    let size = limits::command_size(&command);
    if limits::COMMAND_SIZE_MAX < size && !command.chat_only {
        found.at(Code::CommandTooLarge, &key.span).label(format!("{size} characters")).report(
            format!(
                "the texts of `/{name}` are longer than the {} characters that Discord accepts",
                limits::COMMAND_SIZE_MAX
            ),
            "shorten its descriptions and choices, or split the command",
        );
    }
    Some(command)
}

/// Reports subcommands of a `chat_only` command that are not tools: neither people nor the model could call them.
fn check_chat_only(body: &WrittenBody, command: &Command, found: &mut Findings) {
    let Some(key) = body.chat_only.as_ref().filter(|key| key.value) else { return };
    for leaf in command.leaves().filter(|leaf| leaf.tool.is_none()) {
        found.at(Code::ToolKeyWithoutTool, &key.span).label("only a tool of the chat model has one").report(
            format!("`{}` has `chat_only` but is not a tool: nobody could call it", leaf.path()),
            "write `tool = true` beside its handler, or take `chat_only` out",
        );
    }
}

fn check_key(key: &Spanned<String>, found: &mut Findings) {
    let Some(name) = key.value.strip_prefix('/') else {
        let wanted = wording::suggestion(&key.value).unwrap_or_else(|| "name".to_owned());
        found
            .at(Code::CommandMissingSlash, &key.span)
            .label(format!("Discord sends `/{wanted}`; this key would never match"))
            .report(
                format!("command `{}` does not start with a slash", key.value),
                format!("write `[commands.\"/{wanted}\"]`"),
            );
        return;
    };
    wording::check(name, &key.span, "a command", found, |wanted| format!("write `[commands.\"/{wanted}\"]`"));
}

/// Declares the name. Returns false if it is reserved or already taken.
fn declare(written: &WrittenCommand, candidate: &Candidate, names: &mut DeclaredNames, found: &mut Findings) -> bool {
    let name = bare_name(&written.key.value);
    let span = &written.key.span;
    if RESERVED.contains(&name) && candidate.standing != Standing::Builtin {
        found.at(Code::CommandReserved, span).report(
            format!("command `/{name}` belongs to the bot itself"),
            format!("give it another name; reserved are {}", RESERVED.map(|name| format!("`/{name}`")).join(", ")),
        );
        return false;
    }
    let slash = names.commands(CommandType::Slash);
    if let Err(first) = slash.names.declare(name, candidate.declaration(found.file(), span)) {
        let message = format!("command `/{name}` is already taken: {first}");
        let help = match candidate.given.names.gives(name) {
            true => {
                format!("give it another name under `[modules.commands.{}]` in the settings", candidate.code.folder)
            }
            false => "give one of the two another name".to_owned(),
        };
        found.at(Code::CommandDuplicate, span).also_first(&first).report(message, help);
        return false;
    }
    if matches!(&written.value, WrittenCommandValue::Table(body) if body.is_chat_only()) {
        slash.n_chat_only += 1;
        return true;
    }
    let n_commands = slash.names.len() - slash.n_chat_only;
    if limits::COMMANDS_MAX < n_commands && !found.has(Code::TooManyCommands) {
        found.at(Code::TooManyCommands, span).label(format!("command number {n_commands} of the bot")).report(
            format!("Discord accepts {} commands from one bot, and `/{name}` is beyond that", limits::COMMANDS_MAX),
            "turn commands into subcommands of one command, or take some out",
        );
    }
    true
}

fn report_bare_handler(name: &str, handler: &Spanned<String>, kind: HandlerKind, found: &mut Findings) {
    let shown = wording::suggestion(name).unwrap_or_else(|| "name".to_owned());
    let word = handler.value.escape_default();
    let answers = match kind {
        HandlerKind::Native | HandlerKind::Mcp => format!("handler = \"{word}\""),
        HandlerKind::Text => format!("reply = \"{word}\""),
        // The program in `[run]` answers it, so it needs no handler key.
        HandlerKind::Exec => "writes = false".to_owned(),
    };
    found
        .at(Code::CommandBareHandler, &handler.span)
        .label("a handler alone has no description, and Discord accepts no command without one")
        .report(
            format!("command `{name}` is a bare handler"),
            format!("write\n[commands.\"/{shown}\"]\ndescription = \"What it does\"\n{answers}"),
        );
}
