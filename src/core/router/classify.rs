//! The rules that classify an inbound event.
//!
//! [`classify`] is pure, total and never fails. Its rules, in order:
//!
//! 1. An interaction is a command or an unknown command. Never chat.
//! 2. A message from a bot, a webhook or this bot itself, or one not addressed to the bot, is ignored.
//! 3. A message whose first visible character reads as a slash is *slash text*, whatever follows it. See
//!    `router/normalize.rs` for what counts as visible. All Unicode normal forms of a message are decided alike.
//! 4. Slash text that names a command, with arguments that parse, is that command.
//! 5. Slash text that names a command with arguments that do not parse is malformed; with a group or a subcommand
//!    that does not exist it is unknown.
//! 6. Any other slash text is an unknown command.
//! 7. Everything else is chat: only here is a [`ChatText`] created.

use crate::contract::text_form::{self, TextFormError};
use crate::inbound::{Addressed, Asked, Author, CommandType, Inbound, Interaction, Message};
use crate::language::{Language, say};
use crate::registry::Names;
use crate::router::arguments::check_arguments;
use crate::router::chat_text::ChatText;
use crate::router::level::{Level, Step};
use crate::router::route::{Ignored, Invocation, Malformed, Route, Unavailable, Unknown, UnknownKind};
use crate::router::{menu, modal, normalize};
use crate::text::nearest;

/// The most near names suggested for an unknown one.
const NEAR_NAMES_MAX: usize = 3;

/// Classifies an inbound event. `names` holds the commands in force and those this caller may use.
pub fn classify(inbound: &Inbound, names: &dyn Names) -> Route {
    match inbound {
        Inbound::Interaction(interaction) => interaction_route(interaction, names),
        Inbound::Message(message) => message_route(message, names),
    }
}

fn interaction_route(interaction: &Interaction, names: &dyn Names) -> Route {
    let menu = interaction.surface;
    if menu != CommandType::Slash {
        return menu::route(interaction, menu, names);
    }
    let mut words = interaction.path.iter().map(String::as_str);
    let name = words.next().unwrap_or_default();
    let received = format!("/{}", interaction.path.join(" "));
    let asked = interaction.asked;
    let stale = |problem: String| {
        let (received, looked_up, kind) = (received.clone(), name.to_owned(), UnknownKind::Stale { problem });
        Route::UnknownCommand(Unknown { received, looked_up, kind, near: Vec::new(), asked })
    };
    let mut step = match look_up(name, names) {
        LookUp::Command(step) => step,
        LookUp::Unavailable(unavailable) => return Route::Unavailable(unavailable),
        LookUp::Nothing => return unknown_command(received, name, names, asked),
    };
    let mut above = None;
    let (path, leaf) = loop {
        let word = words.next();
        step = match (step, word, &above) {
            (Step::Leaf(path, leaf), None, _) => break (path, leaf),
            (Step::Leaf(..), Some(_), None) => {
                return stale(say!(interaction.caller.language, "argument-no-subcommands"));
            }
            (Step::Leaf(..), Some(_), Some(level)) => return unknown_subcommand(received, level, names, asked),
            (Step::Level(_), None, _) => return stale(say!(interaction.caller.language, "argument-subcommand")),
            (Step::Level(level), Some(word), _) => match level.step(word) {
                Some(next) => {
                    above = Some(level);
                    next
                }
                None => return unknown_subcommand(received, &level, names, asked),
            },
        };
    };
    if let Err(problem) = check_arguments(leaf, &interaction.arguments, interaction.caller.language) {
        if let Some(request) = modal::request(interaction, &path, leaf) {
            return Route::Modal(request);
        }
        return stale(problem);
    }
    Route::Command(Invocation {
        event: interaction.id,
        caller: interaction.caller.clone(),
        place: interaction.place,
        asked: interaction.asked,
        path,
        arguments: interaction.arguments.clone(),
    })
}

fn message_route(message: &Message, names: &dyn Names) -> Route {
    match message.author {
        Author::Person => {}
        Author::Bot | Author::Itself => return Route::Ignore(Ignored::FromBot),
        Author::Webhook => return Route::Ignore(Ignored::FromWebhook),
    }
    if message.addressed == Addressed::No {
        return Route::Ignore(Ignored::NotAddressed);
    }
    match normalize::read(&message.text, message.bot) {
        normalize::FirstWords::Empty => Route::Ignore(Ignored::Empty),
        normalize::FirstWords::Words(words) => Route::Chat(ChatText::read(words)),
        normalize::FirstWords::Slash(text) => slash_route(message, &text, names),
    }
}

/// Routes slash text: everything after the slash.
fn slash_route(message: &Message, text: &str, names: &dyn Names) -> Route {
    let (written, mut arguments) = split_word(text);
    let name = &*normalize::name(written);
    let mut step = match look_up(name, names) {
        LookUp::Command(step) => step,
        LookUp::Unavailable(unavailable) => return Route::Unavailable(unavailable),
        // `/ x` has no name: show it as written.
        LookUp::Nothing if name.is_empty() => return unknown_command(format!("/{text}"), name, names, Asked::Typed),
        LookUp::Nothing => return unknown_command(format!("/{written}"), name, names, Asked::Typed),
    };
    let (path, leaf) = loop {
        let level = match step {
            Step::Leaf(path, leaf) => break (path, leaf),
            Step::Level(level) => level,
        };
        let (written, behind) = split_word(arguments);
        let word = &*normalize::name(written);
        step = match level.step(word) {
            Some(next) => next,
            None if word.is_empty() => return needs_subcommand(&level, names, message.caller.language),
            None => {
                let received = format!("{} {written}", level.path());
                return unknown_subcommand(received, &level, names, Asked::Typed);
            }
        };
        arguments = behind;
    };
    match text_form::parse(leaf, arguments, message.caller.language) {
        Ok(arguments) => Route::Command(Invocation {
            event: message.id,
            caller: message.caller.clone(),
            place: message.place,
            asked: Asked::Typed,
            path,
            arguments,
        }),
        Err(TextFormError(problem)) => {
            let usage = vec![text_form::usage(leaf)];
            Route::Malformed(Malformed { path, problem, usage })
        }
    }
}

/// The result of looking up a name.
enum LookUp<'a> {
    /// A command.
    Command(Step<'a>),
    /// A command of a rejected module.
    Unavailable(Unavailable),
    /// Nothing.
    Nothing,
}

/// Looks a name up, exactly. A command that the caller may not use is still found: the access check denies it later.
fn look_up<'a>(name: &str, names: &'a dyn Names) -> LookUp<'a> {
    if let Some(command) = names.registry().command(name) {
        return LookUp::Command(Step::at(command));
    }
    match names.registry().quarantined_command(name) {
        Some(module) => LookUp::Unavailable(Unavailable {
            surface: CommandType::Slash,
            name: name.to_owned(),
            module: module.to_owned(),
        }),
        None => LookUp::Nothing,
    }
}

fn unknown_command(received: String, name: &str, names: &dyn Names, asked: Asked) -> Route {
    let usable = names.usable().commands().map(|command| command.name.as_str());
    let near = nearest(name, usable, NEAR_NAMES_MAX).into_iter().map(|near| format!("/{near}")).collect();
    let looked_up = name.to_owned();
    Route::UnknownCommand(Unknown { received, looked_up, kind: UnknownKind::Command, near, asked })
}

fn unknown_subcommand(received: String, level: &Level<'_>, names: &dyn Names, asked: Asked) -> Route {
    let name = level.path().command();
    let near = level.usable(names).map(|usable| usable.exist()).unwrap_or_default();
    let looked_up = name.to_owned();
    Route::UnknownCommand(Unknown { received, looked_up, kind: UnknownKind::Subcommand, near, asked })
}

fn needs_subcommand(level: &Level<'_>, names: &dyn Names, language: Language) -> Route {
    Route::Malformed(Malformed {
        path: level.path().clone(),
        problem: say!(language, "argument-subcommand"),
        usage: level.usable(names).map(|usable| usable.usage()).unwrap_or_default(),
    })
}

/// The text up to the first white space, and the rest.
fn split_word(text: &str) -> (&str, &str) {
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim_start()))
}
