//! The router's decisions, as values.

use crate::inbound::{Asked, Asking, Caller, CommandPath, CommandType, EventId, Place};
use crate::router::chat_text::ChatText;
use serde_json::{Map, Value};

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
    Modal(ModalRequest),
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
            Self::Modal(_) => "form",
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

impl Invocation {
    /// Who asks for it.
    pub fn asking(&self) -> Asking<'_> {
        Asking { caller: &self.caller, place: self.place, asked: self.asked }
    }
}

/// A command whose longer inputs are asked for in a form, because they were not given. What was given fits.
#[derive(Clone, Debug, PartialEq)]
pub struct ModalRequest {
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
    pub surface: CommandType,
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
