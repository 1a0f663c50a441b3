//! Checks one command: its key, owner, description and terms.

use std::ops::Range;
use std::sync::Arc;

use crate::contract::check::findings::Findings;
use crate::contract::check::subject::{Candidate, Part, Standing, claimed_name};
use crate::contract::check::taken_names::{TakenName, TakenNames};
use crate::contract::check::wording::localized::{self, NameRule, Named};
use crate::contract::check::wording::{description, name};
use crate::contract::check::{RESERVED, terms, tree};
use crate::contract::limits;
use crate::contract::manifest::{WrittenCommand, WrittenCommandValue};
use crate::contract::spec::Command;
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::inbound::CommandPath;

/// Checks one command. `None` if it cannot be called at all; the problem is then reported.
pub(crate) fn check(
    written: &WrittenCommand,
    candidate: &Candidate,
    claims: &mut TakenNames,
    found: &mut Findings,
) -> Option<Command> {
    let key = &written.key;
    let name = claimed_name(&key.value);
    check_key(key, found);
    let is_new = claim(name, &key.span, candidate, claims, found);
    let body = match &written.value {
        WrittenCommandValue::Table(body) => body,
        WrittenCommandValue::BareHandler(handler) => {
            report_bare_handler(name, handler, found);
            return None;
        }
        WrittenCommandValue::Unreadable => return None,
    };
    let part = Part { path: CommandPath::new(name, None), span: key.span.clone() };
    let description = description::description(&body.description, &part, &body.leaf.path, found);
    let localized = localized::read(&body.localized, NameRule::Slash, &part.title(), found);
    if is_new {
        let named = Named { name, localized: &localized, written: &body.localized, span: &key.span };
        localized::check_claimed(&named, &claims.commands.localized, found);
        let claim = TakenName { owner: candidate.owner(), file: Arc::clone(found.file()), span: key.span.clone() };
        claims.commands.localized.push((name.to_owned(), localized.clone(), claim));
    }
    let kind = tree::check(body, &part, candidate, claims, found)?;
    let command = Command {
        localized,
        written_at: found.written_at(&key.span),
        ..Command::new(name, description, candidate.owner(), kind)
    };
    let command = terms::apply(command, &body.terms, found);
    let size = limits::command_size(&command);
    if limits::COMMAND_SIZE_MAX < size {
        found.at(Code::CommandTooLarge, &key.span).label(format!("{size} characters")).report(
            format!(
                "the texts of `/{name}` are longer than the {} characters that Discord takes",
                limits::COMMAND_SIZE_MAX
            ),
            "shorten its descriptions and choices, or split the command",
        );
    }
    Some(command)
}

fn check_key(key: &Spanned<String>, found: &mut Findings) {
    let Some(name) = key.value.strip_prefix('/') else {
        let wanted = name::suggestion(&key.value).unwrap_or_else(|| "name".to_owned());
        found
            .at(Code::CommandMissingSlash, &key.span)
            .label(format!("Discord sends `/{wanted}`; this key would never match"))
            .report(
                format!("command `{}` does not start with a slash", key.value),
                format!("write `[commands.\"/{wanted}\"]`"),
            );
        return;
    };
    name::check(name, &key.span, "a command", found, |wanted| format!("write `[commands.\"/{wanted}\"]`"));
}

/// Claims the name. False if another command already has it.
fn claim(
    name: &str,
    span: &Range<usize>,
    candidate: &Candidate,
    claims: &mut TakenNames,
    found: &mut Findings,
) -> bool {
    if RESERVED.contains(&name) && candidate.standing != Standing::Builtin {
        found.at(Code::CommandReserved, span).report(
            format!("command `/{name}` belongs to the bot itself"),
            format!("give it another name; reserved are {}", RESERVED.map(|name| format!("`/{name}`")).join(", ")),
        );
        return false;
    }
    let claim = TakenName { owner: candidate.owner(), file: Arc::clone(found.file()), span: span.clone() };
    if let Err(first) = claims.commands.names.claim(name, claim) {
        report_duplicate(name, span, &first, found);
        return false;
    }
    let n_commands = claims.commands.names.len();
    if limits::COMMANDS_MAX < n_commands && !found.has(Code::TooManyCommands) {
        found.at(Code::TooManyCommands, span).label(format!("command number {n_commands} of the bot")).report(
            format!("Discord takes {} commands of one bot, and `/{name}` is beyond them", limits::COMMANDS_MAX),
            "turn commands into subcommands of one command, or take some out",
        );
    }
    true
}

fn report_duplicate(name: &str, span: &Range<usize>, first: &TakenName, found: &mut Findings) {
    let message = format!("command `/{name}` is taken already: {first}");
    let same_file = Arc::ptr_eq(&first.file, found.file());
    let mut problem = found.at(Code::CommandDuplicate, span);
    if same_file {
        problem = problem.also(&first.span, "the first one");
    }
    problem.report(message, "give one of the two another name");
}

fn report_bare_handler(name: &str, handler: &Spanned<String>, found: &mut Findings) {
    let shown = name::suggestion(name).unwrap_or_else(|| "name".to_owned());
    found
        .at(Code::CommandBareHandler, &handler.span)
        .label("a handler alone has no description, and Discord takes no command without one")
        .report(
            format!("command `{name}` is a bare handler"),
            format!(
                "write\n[commands.\"/{shown}\"]\ndescription = \"What it does\"\nhandler = \"{}\"",
                handler.value.escape_default()
            ),
        );
}
