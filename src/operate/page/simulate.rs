//! The simulator: shows the router's decision about a text or an interaction. It has the names of commands and the
//! router's function, and cannot run a command.

use std::time::SystemTime;

use serde_json::{Map, Value};

use candor_core::inbound::{Addressed, AuthorKind, Caller, CameWith, ChannelId, EventId, GuildId, Inbound};
use candor_core::inbound::{Message, Place, UserId};
use candor_core::language::Language;
use candor_core::registry::NameLookup;
use candor_core::router::{Ignored, Route, classify, refusal};

/// Made-up ids of the bot and of the person.
const BOT: UserId = UserId(1);
const PERSON: UserId = UserId(2);

/// The place of a text, or an interaction in its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum At {
    #[default]
    Direct,
    /// A message in a guild that mentions the bot.
    Mention,
    /// A reply to a message of the bot, in a guild.
    Reply,
    /// A message in a channel whose messages are all for the bot.
    ChatChannel,
    /// Any other message in a guild.
    Elsewhere,
    /// An interaction in Discord's form.
    Interaction,
}

impl At {
    /// Each place with its name in the form and its label.
    pub(super) const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Direct, "direct", "direct message"),
        (Self::Mention, "mention", "server, mentions the bot"),
        (Self::Reply, "reply", "server, replies to the bot"),
        (Self::ChatChannel, "chat-channel", "server, chat channel"),
        (Self::Elsewhere, "elsewhere", "server, not for the bot"),
        (Self::Interaction, "interaction", "an interaction (JSON)"),
    ];

    pub(super) fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|(_, known, _)| *known == name).map(|(at, ..)| at).unwrap_or_default()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) text: String,
    pub(super) at: At,
    /// Whether an operator sends it: others do not see all commands.
    pub(super) by_operator: bool,
}

/// Reads a pasted interaction, or says why it is not one.
pub(super) type ReadInteraction = dyn Fn(&str) -> Result<Pasted, String> + Send + Sync;

#[derive(Clone, Debug)]
pub enum Pasted {
    /// The router decides about it.
    Routed(Box<Inbound>, Vec<Part>),
    /// A component that never reaches the router.
    Settled(Simulated),
}

/// A part of a decision: its name and its value.
pub type Part = (&'static str, String);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated {
    /// The stable name of the route, or the result for a component.
    pub route: String,
    /// The reason, in a sentence.
    pub why: String,
    pub told: Option<String>,
    pub parts: Vec<Part>,
}

pub(super) fn simulate(
    asked: &Asked,
    names: &dyn NameLookup,
    language: Language,
    read_interaction: &ReadInteraction,
) -> Result<Simulated, String> {
    let mut control = Vec::new();
    let inbound = match asked.at {
        At::Interaction => match read_interaction(&asked.text)? {
            Pasted::Routed(inbound, parts) => {
                control = parts;
                *inbound
            }
            Pasted::Settled(simulated) => return Ok(simulated),
        },
        At::Direct => message(&asked.text, Addressed::Direct, language),
        At::Mention => message(&format!("<@{BOT}> {}", asked.text), Addressed::Mention, language),
        At::Reply => message(&asked.text, Addressed::Reply, language),
        At::ChatChannel => message(&asked.text, Addressed::ChatChannel, language),
        At::Elsewhere => message(&asked.text, Addressed::No, language),
    };
    let route = classify(&inbound, names);
    let told = refusal(&route, inbound.caller().language);
    let (why, mut parts) = explained(&route);
    parts.extend(control);
    Ok(Simulated { route: route.name().to_owned(), why, told, parts })
}

fn message(text: &str, addressed: Addressed, language: Language) -> Inbound {
    let channel = ChannelId(3);
    let place = match addressed {
        Addressed::Direct => Place::Direct { channel },
        Addressed::Mention | Addressed::Reply | Addressed::ChatChannel | Addressed::No => {
            Place::Guild { guild: GuildId(4), channel }
        }
    };
    Inbound::Message(Message {
        id: EventId(5),
        caller: Caller { language, ..Caller::new(PERSON, "somebody") },
        author: AuthorKind::Person,
        place,
        addressed,
        bot: BOT,
        // Forms send each line end as CRLF; Discord sends LF.
        text: text.replace("\r\n", "\n"),
        came_with: CameWith::default(),
        sent: SystemTime::UNIX_EPOCH,
    })
}

fn explained(route: &Route) -> (String, Vec<Part>) {
    match route {
        Route::Command(invocation) => (
            format!(
                "It is the command `{}`, with arguments that fit. Rights, cooldowns and what servers switched off are \
                 looked at after this.",
                invocation.path
            ),
            vec![("command", invocation.path.to_string()), ("arguments", json(&invocation.arguments))],
        ),
        Route::UnknownCommand(unknown) => (
            "It is written or sent as a command, and no command in force fits it. It is never chat.".to_owned(),
            vec![("looked up", unknown.looked_up.clone()), ("near", listed(&unknown.near))],
        ),
        Route::Malformed(malformed) => (
            format!("It names `{}`, and its arguments do not fit.", malformed.path),
            vec![("problem", malformed.problem.clone()), ("usage", malformed.usage.join("\n"))],
        ),
        Route::NotPlain { path, why } => (
            format!("It names `{path}`, but does not stand plainly ({}), so it does not run.", why.name()),
            vec![("command", path.to_string()), ("how it stands", why.name().to_owned())],
        ),
        Route::Named(named) => (
            format!("It is only the name of `{}`: no chat model gets it, and a button runs it.", named.path),
            vec![("usage", named.usage.join("\n"))],
        ),
        Route::Unavailable(unavailable) => (
            format!("`{}` belongs to a module that failed its check.", unavailable.shown()),
            vec![("module", unavailable.module.clone())],
        ),
        Route::Modal(request) => (
            format!("`{}` needs more: a form asks for it, and nothing runs before.", request.path),
            vec![("given", json(&request.arguments)), ("asked for", listed(&request.missing))],
        ),
        Route::Chat(words) => (
            "Nothing in it is a command: these words are for the chat model, if there is one and the person may talk with \
             it."
                .to_owned(),
            vec![("words", words.as_str().to_owned())],
        ),
        Route::Ignore(why) => (
            match why {
                Ignored::FromBot => "A bot wrote it.",
                Ignored::FromWebhook => "A webhook wrote it.",
                Ignored::Notice => "Discord wrote it.",
                Ignored::NotAddressed => "It is not for the bot: nothing happens, whatever it says.",
                Ignored::Empty => "It has no words.",
            }
            .to_owned(),
            Vec::new(),
        ),
    }
}

fn json(arguments: &Map<String, Value>) -> String {
    Value::Object(arguments.clone()).to_string()
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use candor_core::contract::{Checked, Command, CommandKind, Leaf, Owner, RejectedModule};
    use candor_core::registry::{Catalog, Registry};
    use candor_core::testing::accepted;

    fn names() -> Catalog {
        let leaf = CommandKind::Leaf(Leaf::new("unused", Vec::new(), None));
        let module = accepted(Owner::Builtin, vec![Command::new("status", "Shows", Owner::Builtin, leaf)]);
        let commands = vec!["weather".to_owned()];
        let rejected = vec![RejectedModule { name: "clouds".to_owned(), commands, ..RejectedModule::default() }];
        Catalog::new(
            Arc::new(Registry::build(Checked { accepted: vec![module], rejected, ..Checked::default() })),
            true,
        )
    }

    fn ask(text: &str, at: At) -> Simulated {
        let asked = Asked { text: text.to_owned(), at, by_operator: false };
        simulate(&asked, &names(), Language::ENGLISH, &|_| Err("none".to_owned())).unwrap()
    }

    #[test]
    fn each_text_gets_the_route_that_a_message_would_get() {
        let cases = [
            ("/status", At::Direct, "command"),
            ("/status", At::Mention, "command"),
            ("/status", At::Elsewhere, "ignore"),
            ("/staus", At::Reply, "unknown-command"),
            ("`/status`", At::ChatChannel, "not-plain"),
            ("hello\r\n/status", At::Direct, "not-plain"),
            ("/weather", At::Direct, "unavailable"),
            ("how are you?", At::Direct, "chat"),
            ("", At::Direct, "ignore"),
        ];
        for (text, at, route) in cases {
            let simulated = ask(text, at);
            assert_eq!(simulated.route, route, "{text:?} {at:?}: {simulated:?}");
            assert!(!simulated.why.is_empty());
            let is_told = matches!(route, "unknown-command" | "not-plain" | "unavailable");
            assert_eq!(simulated.told.is_some(), is_told, "{simulated:?}");
        }
        let near = ask("/staus", At::Direct);
        assert!(near.parts.contains(&("near", "/status".to_owned())), "{near:?}");
    }

    #[test]
    fn what_is_no_interaction_is_said_so() {
        let asked = Asked { at: At::Interaction, ..Asked::default() };
        let found = simulate(&asked, &names(), Language::ENGLISH, &|_| Err("no JSON".to_owned()));
        assert_eq!(found, Err("no JSON".to_owned()));
    }
}
