//! One command: its key, its owner, its description, and what stands behind it.

use std::ops::Range;
use std::sync::Arc;

use crate::contract::check::claims::{Claim, Claims};
use crate::contract::check::findings::Findings;
use crate::contract::check::leaf::{self, Part};
use crate::contract::check::module::{Candidate, Standing};
use crate::contract::check::{RESERVED, name};
use crate::contract::limits;
use crate::contract::manifest::{
    Text, WrittenBody, WrittenCommand, WrittenCommandValue, WrittenLeaf, WrittenSubcommand,
};
use crate::contract::spec::{Command, CommandKind, CommandPath, Subcommand};
use crate::diagnostic::Code;
use crate::written::Spot;

/// The name that a key claims, with or without the slash it should have.
pub(super) fn claimed_name(key: &str) -> &str {
    key.strip_prefix('/').unwrap_or(key)
}

/// Checks one command. `None` if it cannot be called at all; a problem is reported then.
pub(super) fn check(
    written: &WrittenCommand,
    candidate: &Candidate,
    claims: &mut Claims,
    found: &mut Findings,
) -> Option<Command> {
    let key = &written.key;
    let name = claimed_name(&key.value);
    check_key(key, found);
    claim(name, &key.span, candidate, claims, found);
    let body = match &written.value {
        WrittenCommandValue::Table(body) => body,
        WrittenCommandValue::BareHandler(handler) => {
            report_bare_handler(name, handler, found);
            return None;
        }
        WrittenCommandValue::Unreadable => return None,
    };
    let part = Part { path: CommandPath::new(name, None), span: key.span.clone() };
    let command = Command {
        name: name.to_owned(),
        description: description(&body.description, &part, &body.leaf.path, found),
        owner: candidate.owner(),
        ephemeral: body.ephemeral.as_ref().is_some_and(|spot| spot.value),
        operators_only: body.operators_only.as_ref().is_some_and(|spot| spot.value),
        kind: kind(body, &part, candidate, claims, found)?,
    };
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

fn check_key(key: &Spot<String>, found: &mut Findings) {
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

fn claim(name: &str, span: &Range<usize>, candidate: &Candidate, claims: &mut Claims, found: &mut Findings) {
    if RESERVED.contains(&name) && candidate.standing != Standing::Harness {
        found.at(Code::CommandReserved, span).report(
            format!("command `/{name}` belongs to the bot itself"),
            format!("give it another name; reserved are {}", RESERVED.map(|name| format!("`/{name}`")).join(", ")),
        );
        return;
    }
    let claim = Claim { owner: candidate.owner(), file: Arc::clone(found.file()), span: span.clone() };
    if let Err(first) = claims.commands.claim(name, claim) {
        report_duplicate(name, span, &first, found);
    } else if limits::COMMANDS_MAX < claims.commands.len() && !found.has(Code::TooManyCommands) {
        found
            .at(Code::TooManyCommands, span)
            .label(format!("command number {} of the bot", claims.commands.len()))
            .report(
                format!("Discord takes {} commands of one bot, and `/{name}` is beyond them", limits::COMMANDS_MAX),
                "turn commands into subcommands of one command, or take some out",
            );
    }
}

fn report_duplicate(name: &str, span: &Range<usize>, first: &Claim, found: &mut Findings) {
    let message = format!("command `/{name}` is taken already: {first}");
    let same_file = Arc::ptr_eq(&first.file, found.file());
    let mut problem = found.at(Code::CommandDuplicate, span);
    if same_file {
        problem = problem.also(&first.span, "the first one");
    }
    problem.report(message, "give one of the two another name");
}

fn report_bare_handler(name: &str, handler: &Spot<String>, found: &mut Findings) {
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

/// A description as Discord will show it. `path` is the table it belongs in.
fn description(written: &Text, part: &Part, path: &str, found: &mut Findings) -> String {
    let (text, span) = match written {
        Text::Given(description) => (description.value.trim(), &description.span),
        Text::Unreadable => return String::new(),
        Text::Missing => ("", &part.span),
    };
    if text.is_empty() {
        let longest = limits::DESCRIPTION_LENGTH_MAX;
        found.at(Code::DescriptionMissing, span).report(
            format!("{} has no description", part.title()),
            format!("write `description = \"…\"` under `[{path}]`, in 1 to {longest} characters"),
        );
    } else if !limits::is_description(text) {
        name::report_description_length(text, &part.title(), span, found);
    }
    name::check_line(text, &format!("the description of {}", part.title()), span, found);
    text.to_owned()
}

fn kind(
    body: &WrittenBody,
    part: &Part,
    candidate: &Candidate,
    claims: &mut Claims,
    found: &mut Findings,
) -> Option<CommandKind> {
    if body.subcommands.is_empty() {
        return leaf::check(&body.leaf, part, candidate, claims, found).map(CommandKind::Leaf);
    }
    check_parent(&body.leaf, part, found);
    if let Some(beyond) = body.subcommands.get(limits::SUBCOMMANDS_MAX) {
        found.at(Code::TooManySubcommands, &beyond.name.span).label("one too many").report(
            format!(
                "{} has {} subcommands, and Discord takes {}",
                part.title(),
                body.subcommands.len(),
                limits::SUBCOMMANDS_MAX
            ),
            "spread them over two commands",
        );
    }
    let subcommands =
        body.subcommands.iter().map(|written| subcommand(written, part.path.command(), candidate, claims, found));
    // All of them are checked before the first failure counts.
    let subcommands: Vec<_> = subcommands.collect();
    subcommands.into_iter().collect::<Option<_>>().map(CommandKind::Parent)
}

fn subcommand(
    written: &WrittenSubcommand,
    command: &str,
    candidate: &Candidate,
    claims: &mut Claims,
    found: &mut Findings,
) -> Option<Subcommand> {
    let Spot { value: name, span } = &written.name;
    name::check(name, span, "a subcommand", found, |wanted| format!("call it `{wanted}`"));
    let part = Part { path: CommandPath::new(command, Some(name)), span: span.clone() };
    let description = description(&written.description, &part, &written.leaf.path, found);
    let leaf = leaf::check(&written.leaf, &part, candidate, claims, found)?;
    Some(Subcommand { name: name.clone(), description, leaf })
}

/// Discord lets nobody call a command that has subcommands: what it declares for itself would never be used.
fn check_parent(leaf: &WrittenLeaf, part: &Part, found: &mut Findings) {
    let handler = leaf.handler.given().map(|handler| ("handler", &handler.span));
    let tool = leaf.tool.as_ref().map(|tool| ("tool", &tool.span));
    let tool_name = leaf.tool_name.as_ref().map(|name| ("tool_name", &name.span));
    let writes = leaf.writes.as_ref().map(|writes| ("writes", &writes.span));
    let claims = leaf.claims.as_ref().map(|claims| ("claims", &claims.span));
    let options = leaf.options.first().map(|option| ("options", &option.name.span));
    for (key, span) in [handler, tool, tool_name, writes, claims, options].into_iter().flatten() {
        found.at(Code::HandlerOnParent, span).label("nobody can call it without a subcommand").report(
            format!("{} has subcommands, and `{key}` of its own", part.title()),
            format!("move `{key}` to the subcommand it is meant for"),
        );
    }
}
