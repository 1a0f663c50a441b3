//! Checks a context-menu command: its name, and its handler's single parameter.

use std::ops::Range;

use crate::contract::check::commands::{leaf, terms};
use crate::contract::check::declared_names::DeclaredNames;
use crate::contract::check::findings::Findings;
use crate::contract::check::subject::{Candidate, Part};
use crate::contract::check::wording;
use crate::contract::check::wording::{NameRule, NamedItem};
use crate::contract::code::NativeHandler;
use crate::contract::limits;
use crate::contract::manifest::{Text, WrittenMenu};
use crate::contract::reserved::{is_reserved_menu, n_reserved_menus};
use crate::contract::signature::{Parameter, Signature};
use crate::contract::spec::{Command, CommandKind, Leaf, Localized, OptionKind, OptionSpec};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::inbound::{CommandPath, CommandType};

pub(crate) fn command_type(written: &WrittenMenu) -> Option<CommandType> {
    match written.kind.given()?.value.as_str() {
        "user" => Some(CommandType::UserMenu),
        "message" => Some(CommandType::MessageMenu),
        _ => None,
    }
}

/// Checks one context-menu command. Returns `None`, and reports why, if it cannot be used at all.
pub(crate) fn check(
    written: &WrittenMenu,
    candidate: &Candidate,
    names: &mut DeclaredNames,
    found: &mut Findings,
) -> Option<Command> {
    let Spanned { value: name, span } = &written.name;
    wording::check_menu_name(name, span, "a context-menu command", found);
    let Some(command_type) = command_type(written) else {
        report_type(written, found);
        return None;
    };
    if is_reserved_menu(command_type, name) {
        found
            .at(Code::CommandReserved, span)
            .report(format!("the context-menu command `{name}` belongs to the bot itself"), "give it another name");
        return None;
    }
    let part = Part { path: CommandPath::at(command_type, &[name]), span: span.clone() };
    let title = part.title();
    let localized = wording::read(&written.localized, NameRule::Menu, &title, found);
    declare(&part, &localized, written, candidate, names, found);
    let (handler, at) = leaf::handler(&written.leaf, &part, candidate, found)?;
    let option = target(command_type, handler, at, &part, found)?;
    let leaf = Leaf::new(&handler.name, vec![option], None).of_kind(candidate.kind);
    let command = Command {
        localized,
        written_at: found.written_at(span),
        ..Command::on(command_type, name, "", candidate.owner(), CommandKind::Leaf(leaf))
    };
    Some(terms::apply(command, &written.terms, found))
}

fn report_type(written: &WrittenMenu, found: &mut Findings) {
    let Spanned { value: name, span } = &written.name;
    let help = format!("write `type = \"user\"` or `type = \"message\"` under `[{}]`", written.leaf.path);
    match &written.kind {
        Text::Missing => found.at(Code::MenuTypeMissing, span).report(
            format!("the context-menu command `{name}` does not say whether it is for users or for messages"),
            help,
        ),
        Text::Given(kind) => found
            .at(Code::ManifestValueInvalid, &kind.span)
            .report(format!("there is no context-menu command of the type `{}`", kind.value), help),
        // The manifest reader already reported it.
        Text::Unreadable => {}
    }
}

fn declare(
    part: &Part,
    localized: &Localized,
    written: &WrittenMenu,
    candidate: &Candidate,
    names: &mut DeclaredNames,
    found: &mut Findings,
) {
    let name = part.path.command();
    let span = &part.span;
    let command_type = part.path.command_type();
    let other = match command_type {
        CommandType::UserMenu => CommandType::MessageMenu,
        CommandType::MessageMenu | CommandType::Slash => CommandType::UserMenu,
    };
    // `[permissions]` and cooldowns identify a context-menu command by name alone, so the two types share their names.
    let elsewhere = names.commands(other).names.first(name).cloned();
    let menu = names.commands(command_type);
    let room = limits::MENU_COMMANDS_MAX - n_reserved_menus(command_type);
    let declaration = candidate.declaration(found.file(), span);
    if let Err(first) = menu.names.declare(name, declaration.clone()).and(elsewhere.map_or(Ok(()), Err)) {
        let message = format!("the context-menu command `{name}` is already taken: {first}");
        let help = "give one of the two another name";
        found.at(Code::MenuDuplicate, span).also_first(&first).report(message, help);
    } else if room < menu.names.len() && !found.has(Code::TooManyMenuEntries) {
        found.at(Code::TooManyMenuEntries, span).label(format!("number {} of its kind", menu.names.len())).report(
            format!("modules have room for {room} context-menu commands of one kind, and `{name}` is beyond them"),
            "take some out, or make slash commands of them",
        );
    }
    let named = NamedItem { name, localized, written: &written.localized, span };
    wording::check_against_earlier(&named, &menu.localized, found);
    menu.localized.push((name.to_owned(), localized.clone(), declaration));
}

/// Returns the handler's single parameter: the user or message that the command is used on.
fn target(
    command_type: CommandType,
    handler: &NativeHandler,
    span: &Range<usize>,
    part: &Part,
    found: &mut Findings,
) -> Option<OptionSpec> {
    let signature = Signature::read(&handler.signature);
    let (wanted, rust) = match command_type {
        CommandType::UserMenu => (OptionKind::User, "User"),
        CommandType::MessageMenu => (OptionKind::Message, "MessageRef"),
        CommandType::Slash => return None,
    };
    match (signature.parameters.as_slice(), signature.unsupported.as_slice()) {
        ([Parameter { name, description, kind, required: true }], []) if *kind == wanted => {
            Some(OptionSpec::new(name, description.clone().unwrap_or_default(), wanted, true))
        }
        _ => {
            let what = wanted.name();
            found
                .at(Code::HandlerSignatureMismatch, span)
                .label(format!("it is given the {what}, and nothing else"))
                .report(
                    format!("handler `{}` does not take what {} is chosen on", handler.name, part.title()),
                    format!("give its arguments exactly one field, of the type `contract::entity::{rust}`"),
                );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use crate::contract::NativeModule;
    use crate::contract::entity::{MessageRef, User};
    use crate::reply::Reply;
    use crate::testing::checked;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only the signature counts here")]
    struct OfUser {
        user: User,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only the signature counts here")]
    struct OfMessage {
        message: MessageRef,
    }

    #[test]
    fn the_bots_own_commands_count_in_the_menu_of_a_message() {
        let problems = |menu: &str, n_commands: usize| {
            let command = |n| format!("[menus.\"Entry {n}\"]\ntype = \"{menu}\"\nhandler = \"{menu}\"\n");
            let commands: String = (0..n_commands).map(command).collect();
            let manifest = format!("[module]\nname = \"menus\"\nsummary = \"Menus\"\n{commands}");
            let module = NativeModule::new("menus", &manifest);
            let module = match menu {
                "user" => module.handler("user", |_: OfUser, _| async { Ok(Reply::default()) }),
                _ => module.handler("message", |_: OfMessage, _| async { Ok(Reply::default()) }),
            };
            let checked = checked(vec![module]);
            checked.diagnostics.iter().map(|problem| problem.code.name()).collect::<Vec<_>>()
        };
        let beyond = ["too-many-menu-entries"];
        let cases = [("user", 15, &[][..]), ("user", 16, &beyond), ("message", 11, &[]), ("message", 12, &beyond)];
        for (menu, n_commands, expected) in cases {
            assert_eq!(problems(menu, n_commands), expected, "{n_commands} of {menu}");
        }
    }
}
