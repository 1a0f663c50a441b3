//! The router: what is this, and whose is it?
//!
//! [`classify`] is pure, total and never fails. Its rules, in order:
//!
//! 1. An interaction is a command or an unknown command. Never chat.
//! 2. A message of a bot, a webhook or the bot itself, or one that is not addressed to the bot, is ignored.
//! 3. A message whose first visible character reads as a slash is *slash text*, whatever follows it. What
//!    counts as visible is said in `router/normalize.rs`. Every Unicode normal form of a message is decided
//!    alike.
//! 4. Slash text that names a command, with arguments that parse, is that command.
//! 5. Slash text that names a command with arguments that do not parse is malformed; with a group or a subcommand
//!    that does not exist it is unknown.
//! 6. Any other slash text is an unknown command.
//! 7. Everything else is chat: only here is a [`ChatText`] made.
#![deny(clippy::disallowed_methods)]

mod form;
mod front;
mod level;
mod menu;
mod normalize;
mod refusal;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::contract::text_form::{self, TextFormError};
use crate::contract::{CommandPath, CommandSurface, Leaf, fits_in};
use crate::inbound::{Addressed, Asked, Author, Caller, EventId, Inbound, Interaction, Message, Place};
use crate::language::{Language, say};
use crate::nearest::nearest;
use crate::registry::Catalog;

use level::{Level, Step};
pub use refusal::{excerpt, refusal};

/// Near names offered for an unknown one.
const NEAR_NAMES_MAX: usize = 3;

/// A person's words for the chat model. Slash text can never be one: only [`classify`] makes them, and the
/// model takes nothing else.
///
/// ```compile_fail
/// let words = candor::router::ChatText("/status".to_owned());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatText(String);

impl ChatText {
    /// The words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The router's decision about an inbound.
#[derive(Clone, Debug, PartialEq)]
pub enum Route {
    /// A command with arguments that fit it.
    Command(Invocation),
    /// A slash command that nobody owns.
    UnknownCommand(Unknown),
    /// A command with arguments that do not parse or do not fit.
    Malformed(Malformed),
    /// A command of a module that failed its start-up check.
    Unavailable(Unavailable),
    /// A command that lacks what a form is to ask for.
    Form(FormRequest),
    /// Words for the chat model.
    Chat(ChatText),
    /// Nothing for the bot.
    Ignore(Ignored),
}

impl Route {
    /// The stable name, for the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            Self::UnknownCommand(_) => "unknown-command",
            Self::Malformed(_) => "malformed",
            Self::Unavailable(_) => "unavailable",
            Self::Form(_) => "form",
            Self::Chat(_) => "chat",
            Self::Ignore(_) => "ignore",
        }
    }
}

/// One command to be run, with who asks and with what. The guard turns it into a permit.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// The interaction or message it came from.
    pub event: EventId,
    /// Who asks.
    pub caller: Caller,
    /// Where.
    pub place: Place,
    /// How. What a model asks for counts as typed.
    pub asked: Asked,
    /// Which command.
    pub path: CommandPath,
    /// Arguments that fit the command's options.
    pub arguments: Map<String, Value>,
}

/// A command whose longer inputs are asked for in a form, because they were not given. What was given fits.
#[derive(Clone, Debug, PartialEq)]
pub struct FormRequest {
    /// Which command.
    pub path: CommandPath,
    /// What was given.
    pub arguments: Map<String, Value>,
    /// The names of the options that are asked for, in their order.
    pub missing: Vec<String>,
}

/// A slash command that nobody owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The name as received, with its slash; that of an entry of a menu has none. Untrusted.
    pub received: String,
    /// The name as looked up, without a slash.
    pub looked_up: String,
    /// What exactly is unknown.
    pub kind: UnknownKind,
    /// Names the caller may have meant and may use, with their slash, best first.
    pub near: Vec<String>,
    /// How it was asked for.
    pub asked: Asked,
}

/// What exactly is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownKind {
    /// The command.
    Command,
    /// The group or the subcommand. The near names are all that exist there, if the caller may use them.
    Subcommand,
    /// The entry of a menu.
    MenuEntry,
    /// The command is known, but the interaction does not fit it: Discord or the person's app still
    /// knows an earlier form.
    Stale {
        /// What does not fit.
        problem: String,
    },
}

/// A command with arguments that do not parse or do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The command.
    pub path: CommandPath,
    /// What is wrong, in words for the person.
    pub problem: String,
    /// How the command is written, a line for each of its forms.
    pub usage: Vec<String>,
}

/// A command of a module that failed its start-up check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// Where it would be found.
    pub surface: CommandSurface,
    /// The command's name without a slash.
    pub name: String,
    /// The module.
    pub module: String,
}

impl Unavailable {
    /// The name as people write it: `/weather`; an entry of a menu as it stands there.
    pub fn shown(&self) -> String {
        CommandPath::at(self.surface, &[&self.name]).to_string()
    }
}

/// Why an inbound is not for the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// A bot wrote it, perhaps this one.
    FromBot,
    /// A webhook wrote it.
    FromWebhook,
    /// It does not speak to the bot.
    NotAddressed,
    /// It has no words.
    Empty,
}

/// Decides what an inbound is. `names` holds the commands in force and what this caller may use of them.
pub fn classify(inbound: &Inbound, names: &Catalog) -> Route {
    match inbound {
        Inbound::Interaction(interaction) => interaction_route(interaction, names),
        Inbound::Message(message) => message_route(message, names),
    }
}

fn interaction_route(interaction: &Interaction, names: &Catalog) -> Route {
    let menu = interaction.surface;
    if menu != CommandSurface::Slash {
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
        if let Some(request) = form::request(interaction, &path, leaf) {
            return Route::Form(request);
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

fn message_route(message: &Message, names: &Catalog) -> Route {
    match message.author {
        Author::Person => {}
        Author::Bot | Author::Itself => return Route::Ignore(Ignored::FromBot),
        Author::Webhook => return Route::Ignore(Ignored::FromWebhook),
    }
    if message.addressed == Addressed::No {
        return Route::Ignore(Ignored::NotAddressed);
    }
    match normalize::read(&message.text, message.bot) {
        normalize::Reading::Empty => Route::Ignore(Ignored::Empty),
        normalize::Reading::Words(words) => Route::Chat(ChatText(words.to_owned())),
        normalize::Reading::Slash(text) => slash_route(message, &text, names),
    }
}

/// Slash text: everything behind the slash.
fn slash_route(message: &Message, text: &str, names: &Catalog) -> Route {
    let (written, mut arguments) = split_word(text);
    let name = &*normalize::name(written);
    let mut step = match look_up(name, names) {
        LookUp::Command(step) => step,
        LookUp::Unavailable(unavailable) => return Route::Unavailable(unavailable),
        // `/ x` has no name: it is shown as it was written.
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
            let usage = vec![text_form::usage(&path, leaf)];
            Route::Malformed(Malformed { path, problem, usage })
        }
    }
}

/// What a name stands for.
enum LookUp<'a> {
    /// A command.
    Command(Step<'a>),
    /// A command of a rejected module.
    Unavailable(Unavailable),
    /// Nothing.
    Nothing,
}

/// Matching is exact. A command that the caller may not use is still that command: the guard says why not.
fn look_up<'a>(name: &str, names: &'a Catalog) -> LookUp<'a> {
    if let Some(command) = names.registered(name) {
        return LookUp::Command(Step::at(command));
    }
    match names.quarantined(name) {
        Some(module) => LookUp::Unavailable(Unavailable {
            surface: CommandSurface::Slash,
            name: name.to_owned(),
            module: module.to_owned(),
        }),
        None => LookUp::Nothing,
    }
}

fn unknown_command(received: String, name: &str, names: &Catalog, asked: Asked) -> Route {
    let usable = names.commands().map(|command| command.name.as_str());
    let near = nearest(name, usable, NEAR_NAMES_MAX).into_iter().map(|near| format!("/{near}")).collect();
    let looked_up = name.to_owned();
    Route::UnknownCommand(Unknown { received, looked_up, kind: UnknownKind::Command, near, asked })
}

fn unknown_subcommand(received: String, level: &Level<'_>, names: &Catalog, asked: Asked) -> Route {
    let name = level.path().command();
    let near = level.usable(names).map(|usable| usable.exist()).unwrap_or_default();
    let looked_up = name.to_owned();
    Route::UnknownCommand(Unknown { received, looked_up, kind: UnknownKind::Subcommand, near, asked })
}

fn needs_subcommand(level: &Level<'_>, names: &Catalog, language: Language) -> Route {
    Route::Malformed(Malformed {
        path: level.path().clone(),
        problem: say!(language, "argument-subcommand"),
        usage: level.usable(names).map(|usable| usable.usage()).unwrap_or_default(),
    })
}

/// Whether received arguments fit: all known, all required there, each of its type and within its bounds.
fn check_arguments(leaf: &Leaf, arguments: &Map<String, Value>, language: Language) -> Result<(), String> {
    for (name, value) in arguments {
        let option = leaf.option(name).ok_or_else(|| say!(language, "argument-not-taken", typed = excerpt(name)))?;
        fits_in(&option.kind, value, language).map_err(|problem| format!("`{name}` {problem}"))?;
    }
    match leaf.options.iter().find(|option| option.required && !arguments.contains_key(&option.name)) {
        Some(missing) => Err(say!(language, "argument-missing", option = missing.name.as_str())),
        None => Ok(()),
    }
}

/// The text up to the first white space, and the rest behind it.
fn split_word(text: &str) -> (&str, &str) {
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim_start()))
}
