//! Classifies an inbound event by the rules of the router.

use std::borrow::Cow;
use std::ops::Range;

use crate::contract::Leaf;
use crate::contract::text_form::{self, TextFormError};
use crate::inbound::{
    Addressed, AuthorKind, CallMethod, CommandPath, CommandType, Inbound, Interaction, Message, UserId,
};
use crate::language::{Language, say};
use crate::record::NotPlain;
use crate::registry::{NameLookup, Registry};
use crate::router::arguments::check_arguments;
use crate::router::chat_text::ChatText;
use crate::router::names::{Level, Reached, named};
use crate::router::route::{Ignored, Invocation, Malformed, Route, Unavailable, Unknown, UnknownKind};
use crate::router::{arguments, menu, normalize};
use crate::text::{CodeRules, SegmentKind, nearest, segments};

/// The most names suggested for an unknown one.
const NEAR_NAMES_MAX: usize = 3;

/// Classifies an inbound event. `names` holds the commands in force and those this caller may use.
pub fn classify(inbound: &Inbound, names: &dyn NameLookup) -> Route {
    match inbound {
        Inbound::Interaction(interaction) => interaction_route(interaction, names),
        Inbound::Message(message) => message_route(message, names),
        Inbound::GoOn(press) => Route::Chat(ChatText::read(&say!(press.caller.language, "go-on-words"))),
    }
}

fn interaction_route(interaction: &Interaction, names: &dyn NameLookup) -> Route {
    let menu = interaction.command_type;
    if menu != CommandType::Slash {
        return menu::route(interaction, menu, names);
    }
    let mut words = interaction.path.iter().map(String::as_str);
    let name = words.next().unwrap_or_default();
    let received = format!("/{}", interaction.path.join(" "));
    let method = interaction.method;
    let stale = |problem: String| {
        let received = received.clone();
        let looked_up = name.to_owned();
        let kind = UnknownKind::Stale { problem };
        Route::UnknownCommand(Unknown { received, looked_up, kind, near: Vec::new(), method })
    };
    let mut step = match look_up(name, names.registry()) {
        LookUp::Command(step) => step,
        LookUp::Unavailable(unavailable) => return Route::Unavailable(unavailable),
        LookUp::Nothing => return unknown_command(received, name, names, method),
    };
    let mut above = None;
    let (path, leaf) = loop {
        let word = words.next();
        step = match (step, word, &above) {
            (Reached::Leaf(path, leaf), None, _) => break (path, leaf),
            (Reached::Leaf(..), Some(_), None) => {
                return stale(say!(interaction.caller.language, "argument-no-subcommands"));
            }
            (Reached::Leaf(..), Some(_), Some(level)) => return unknown_subcommand(received, level, names, method),
            (Reached::Level(_), None, _) => return stale(say!(interaction.caller.language, "argument-subcommand")),
            (Reached::Level(level), Some(word), _) => match level.step(word) {
                Some(next) => {
                    above = Some(level);
                    next
                }
                None => match unavailable_below(&level, word, names.registry()) {
                    Some(unavailable) => return Route::Unavailable(unavailable),
                    None => return unknown_subcommand(received, &level, names, method),
                },
            },
        };
    };
    if let Some(request) = arguments::request(interaction, &path, leaf) {
        return Route::Modal(request);
    }
    // A person must see a change that a chat model wrote before it runs.
    if interaction.method == CallMethod::Offered && leaf.writes && !interaction.arguments.is_empty() {
        return stale(say!(interaction.caller.language, "argument-too-many"));
    }
    if let Err(problem) = check_arguments(leaf, &interaction.arguments, interaction.caller.language) {
        return stale(problem);
    }
    Route::Command(Invocation {
        event: interaction.id,
        caller: interaction.caller.clone(),
        place: interaction.place,
        method: interaction.method,
        path,
        arguments: interaction.arguments.clone(),
    })
}

fn message_route(message: &Message, names: &dyn NameLookup) -> Route {
    match message.author {
        AuthorKind::Person => {}
        AuthorKind::Bot | AuthorKind::Itself => return Route::Ignore(Ignored::FromBot),
        AuthorKind::Webhook => return Route::Ignore(Ignored::FromWebhook),
        AuthorKind::Notice => return Route::Ignore(Ignored::Notice),
    }
    if message.addressed == Addressed::No {
        return Route::Ignore(Ignored::NotAddressed);
    }
    match normalize::read(&message.text, message.bot) {
        normalize::FirstWords::Empty => match wordless(message) {
            Some(sentence) => Route::Chat(ChatText::read(&sentence)),
            None => Route::Ignore(Ignored::Empty),
        },
        normalize::FirstWords::Plain(text) => slash_route(message, text, None, names),
        normalize::FirstWords::NotPlain(text, why) => slash_route(message, &text, Some(why), names),
        normalize::FirstWords::Words(words) => match command_line(words, message.bot, names.registry()) {
            Some((path, why)) => Route::NotPlain { path, why },
            None => match named(words, names, message.caller.language).filter(|_| !message.came_with.is_something()) {
                Some(named) => Route::Named(named),
                None => Route::Chat(ChatText::read(words).naming(&message.came_with.mentioned)),
            },
        },
    }
}

/// Returns the text for a message without words that still wants an answer: it has attachments or a quote, or it calls
/// the bot.
fn wordless(message: &Message) -> Option<String> {
    let language = message.caller.language;
    match message.addressed {
        _ if message.came_with.is_something() => Some(say!(language, "wordless-words")),
        Addressed::Mention => Some(say!(language, "mention-alone-words")),
        Addressed::Direct | Addressed::Reply | Addressed::ChatChannel | Addressed::No => None,
    }
}

/// Routes slash text. `text` is everything after the slash; `not_plain` is `None` for plain text.
fn slash_route(message: &Message, text: &str, not_plain: Option<NotPlain>, names: &dyn NameLookup) -> Route {
    match (find(text, not_plain.is_none(), names.registry()), not_plain) {
        (Found::Leaf { path, .. }, Some(why)) => Route::NotPlain { path, why },
        (Found::Leaf { path, leaf, arguments }, None) => {
            match text_form::parse(leaf, arguments, message.caller.language) {
                Ok(arguments) => Route::Command(Invocation {
                    event: message.id,
                    caller: message.caller.clone(),
                    place: message.place,
                    method: CallMethod::Typed,
                    path,
                    arguments,
                }),
                Err(TextFormError(problem)) => {
                    let usage = vec![text_form::usage(leaf, message.caller.language)];
                    let near = named_by(arguments, &path, names);
                    Route::Malformed(Malformed { path, problem, usage, near })
                }
            }
        }
        (Found::Level { level, word: "" }, _) => needs_subcommand(&level, names, message.caller.language),
        (Found::Level { level, word }, _) => {
            unknown_subcommand(format!("{} {word}", level.path()), &level, names, CallMethod::Typed)
        }
        (Found::Unavailable(unavailable), _) => Route::Unavailable(unavailable),
        // `/ x` has no name: show it as written.
        (Found::Nothing { name, .. }, _) if name.is_empty() => {
            unknown_command(format!("/{text}"), &name, names, CallMethod::Typed)
        }
        (Found::Nothing { word, name }, _) => unknown_command(format!("/{word}"), &name, names, CallMethod::Typed),
    }
}

/// Finds the first line that is exactly a command, with arguments that parse. Code blocks are skipped, because they
/// show text that is talked about. A line below the first is not plain because of the text above it.
fn command_line(words: &str, bot: UserId, registry: &Registry) -> Option<(CommandPath, NotPlain)> {
    let mut blocks = closed_blocks(words).into_iter().peekable();
    let mut at = 0;
    words.split('\n').enumerate().find_map(|(n, line)| {
        let start = at;
        at += line.len() + 1;
        while blocks.next_if(|block| block.end <= start).is_some() {}
        if blocks.peek().is_some_and(|block| block.start < start) {
            return None;
        }
        let (behind, why) = normalize::behind_slash_of_line(line, bot)?;
        match find(behind, true, registry) {
            Found::Leaf { path, leaf, arguments } => {
                let why = why.filter(|_| n == 0).unwrap_or(NotPlain::Below);
                // The error is dropped, so its language does not matter.
                text_form::parse(leaf, arguments, Language::ENGLISH).is_ok().then_some((path, why))
            }
            Found::Level { .. } | Found::Unavailable(_) | Found::Nothing { .. } => None,
        }
    })
}

/// Returns the byte ranges of code blocks. Discord shows an unclosed block as plain text.
fn closed_blocks(text: &str) -> Vec<Range<usize>> {
    let blocks = segments(text, CodeRules::Discord).filter(|segment| matches!(segment.kind, SegmentKind::Fence { .. }));
    let is_closed = |block: &Range<usize>| {
        let inside = text.get(block.clone()).unwrap_or_default().trim_start_matches('`');
        inside.ends_with("```")
    };
    blocks.map(|segment| segment.range).filter(is_closed).collect()
}

/// The result of following the names in slash text.
enum Found<'a> {
    /// A command that can be called, with the text after its names.
    Leaf {
        path: CommandPath,
        leaf: &'a Leaf,
        arguments: &'a str,
    },
    /// A command or group without a subcommand of this name; the word is empty if there is no more text.
    Level {
        level: Level<'a>,
        word: &'a str,
    },
    Unavailable(Unavailable),
    /// Nothing of this name, as written and as looked up.
    Nothing {
        word: &'a str,
        name: Cow<'a, str>,
    },
}

/// Follows the names in slash text. If it is not plain, a closing mark may follow a name.
fn find<'a>(text: &'a str, is_plain: bool, registry: &'a Registry) -> Found<'a> {
    let first_word = |text: &'a str| {
        let (word, behind) = split_word(text);
        let word = if is_plain { word } else { normalize::before_marks(word) };
        (word, normalize::name(word), behind)
    };
    let (word, name, mut arguments) = first_word(text);
    let mut step = match look_up(&name, registry) {
        LookUp::Command(step) => step,
        LookUp::Unavailable(unavailable) => return Found::Unavailable(unavailable),
        LookUp::Nothing => return Found::Nothing { word, name },
    };
    loop {
        let level = match step {
            Reached::Leaf(path, leaf) => return Found::Leaf { path, leaf, arguments },
            Reached::Level(level) => level,
        };
        let (word, name, behind) = first_word(arguments);
        step = match level.step(&name) {
            Some(next) => next,
            None => {
                return match unavailable_below(&level, &name, registry) {
                    Some(unavailable) => Found::Unavailable(unavailable),
                    // Invisible characters alone are not a name.
                    None => Found::Level { level, word: if name.is_empty() { "" } else { word } },
                };
            }
        };
        arguments = behind;
    }
}

enum LookUp<'a> {
    Command(Reached<'a>),
    Unavailable(Unavailable),
    Nothing,
}

/// Looks a name up, exactly. A command that the caller may not use is still found: the access check denies it later.
fn look_up<'a>(name: &str, registry: &'a Registry) -> LookUp<'a> {
    if let Some(command) = registry.command(name) {
        return LookUp::Command(Reached::at(command));
    }
    match registry.quarantined_command(name) {
        Some(command) => LookUp::Unavailable(Unavailable::of(name.to_owned(), command)),
        None => LookUp::Nothing,
    }
}

/// Returns a subcommand, or group of them, that failed the start-up check.
fn unavailable_below(level: &Level<'_>, word: &str, registry: &Registry) -> Option<Unavailable> {
    let name = level.path().names().chain([word]).collect::<Vec<_>>().join(" ");
    let command = registry.quarantined_command(&name)?;
    Some(Unavailable::of(name, command))
}

/// Returns another command with the name of the first argument.
fn named_by(arguments: &str, path: &CommandPath, names: &dyn NameLookup) -> Option<String> {
    let (word, _) = split_word(arguments);
    let named = names.usable().command(&normalize::name(word)).filter(|named| named.name != path.command())?;
    Some(format!("/{}", named.name))
}

fn unknown_command(received: String, name: &str, names: &dyn NameLookup, method: CallMethod) -> Route {
    let usable = names.usable().commands().map(|command| command.name.as_str());
    let near = nearest(name, usable, NEAR_NAMES_MAX).into_iter().map(|near| format!("/{near}")).collect();
    let looked_up = name.to_owned();
    let kind = match names.registry() {
        registry if registry.left_out().contains(name) => UnknownKind::OfChat,
        registry if registry.is_chat_only(name) => UnknownKind::ChatOnly,
        _ => UnknownKind::Command,
    };
    Route::UnknownCommand(Unknown { received, looked_up, kind, near, method })
}

fn unknown_subcommand(received: String, level: &Level<'_>, names: &dyn NameLookup, method: CallMethod) -> Route {
    let name = level.path().command();
    let near = level.usable(names).map(|usable| usable.exist()).unwrap_or_default();
    let looked_up = name.to_owned();
    Route::UnknownCommand(Unknown { received, looked_up, kind: UnknownKind::Subcommand, near, method })
}

fn needs_subcommand(level: &Level<'_>, names: &dyn NameLookup, language: Language) -> Route {
    Route::Malformed(Malformed {
        path: level.path().clone(),
        problem: say!(language, "argument-subcommand"),
        usage: level.usable(names).map(|usable| usable.usage(language)).unwrap_or_default(),
        near: None,
    })
}

/// Splits at the first white space.
fn split_word(text: &str) -> (&str, &str) {
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim_start()))
}
