//! Routes: the router's decisions as values.

use serde_json::{Map, Value};

use crate::diagnostic::Code;
use crate::inbound::{Asking, CallMethod, Caller, CommandPath, CommandType, EventId, Place};
use crate::record::{NotPlain, RouteKind};
use crate::registry::NotInForce;
use crate::router::chat_text::ChatText;

/// The router's decision about an inbound event.
#[derive(Clone, Debug, PartialEq)]
pub enum Route {
    /// A command with arguments that fit it.
    Command(Invocation),
    UnknownCommand(Unknown),
    /// A command with arguments that do not parse or do not fit.
    Malformed(Malformed),
    /// A command that is typed, but not plainly: quoted, in code, below other words. It does not run.
    NotPlain {
        path: CommandPath,
        why: NotPlain,
    },
    /// Words that are only the name of a command or tool. They are not run, and the chat model does not get them.
    Named(Named),
    /// A command of a module that failed its start-up check.
    Unavailable(Unavailable),
    /// A command with missing options that a modal asks for.
    Modal(ModalRequest),
    Chat(ChatText),
    /// Not meant for the bot.
    Ignore(Ignored),
}

impl Route {
    pub fn kind(&self) -> RouteKind {
        match self {
            Self::Command(_) => RouteKind::Command,
            Self::UnknownCommand(_) => RouteKind::UnknownCommand,
            Self::Malformed(_) => RouteKind::Malformed,
            Self::NotPlain { .. } => RouteKind::NotPlain,
            Self::Named(_) => RouteKind::Named,
            Self::Unavailable(_) => RouteKind::Unavailable,
            Self::Modal(_) => RouteKind::Modal,
            Self::Chat(_) => RouteKind::Chat,
            Self::Ignore(_) => RouteKind::Ignore,
        }
    }

    /// Returns the stable name, for the log.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }
}

/// A call of one command: caller, place and arguments. The access check turns it into a permit.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// The interaction or message it came from.
    pub event: EventId,
    pub caller: Caller,
    pub place: Place,
    /// The way it was called. A chat model's call counts as typed.
    pub method: CallMethod,
    pub path: CommandPath,
    /// Arguments that fit the command's options.
    pub arguments: Map<String, Value>,
}

impl Invocation {
    /// Copies it without the arguments, which the handler gets.
    #[must_use]
    pub fn without_arguments(&self) -> Self {
        let caller = self.caller.clone();
        let path = self.path.clone();
        Self { event: self.event, caller, place: self.place, method: self.method, path, arguments: Map::new() }
    }

    pub fn asking(&self) -> Asking<'_> {
        Asking { caller: &self.caller, place: self.place, method: self.method }
    }
}

/// A command with missing options that a modal asks for. The given arguments fit.
#[derive(Clone, Debug, PartialEq)]
pub struct ModalRequest {
    pub path: CommandPath,
    pub arguments: Map<String, Value>,
    /// The names of the options to ask for, in order.
    pub missing: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The name as received, with its slash; without for a context-menu command. Untrusted.
    pub received: String,
    /// The name as looked up, without a slash.
    pub looked_up: String,
    pub kind: UnknownKind,
    /// Names that the caller may have meant and may use, with slash, best first.
    pub near: Vec<String>,
    pub method: CallMethod,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownKind {
    Command,
    /// A command that exists only with a chat model.
    OfChat,
    /// A tool that only the chat model may call.
    ChatOnly,
    /// The group or subcommand. The near names are all that exist there and that the caller may use.
    Subcommand,
    ContextMenuCommand,
    /// The command exists, but the interaction does not fit it: Discord or the user's client still has an earlier
    /// version.
    Stale {
        problem: String,
    },
}

/// A command with arguments that do not parse or do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub path: CommandPath,
    /// The problem, in words for the caller.
    pub problem: String,
    /// The usage of the command, one line per form.
    pub usage: Vec<String>,
    /// Another command that may be meant and that the caller may use: `/alerts` for `/status alerts`.
    pub near: Option<String>,
}

/// A message that is only the name of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The command, or one that has subcommands.
    pub path: CommandPath,
    /// The usage of the command, one line per form.
    pub usage: Vec<String>,
    /// Whether a button can run it, or open a modal for the missing options.
    pub has_button: bool,
    /// The route of the name typed with a slash, if people cannot run it: a failed command, or a tool of the chat model
    /// alone.
    pub instead: Option<Box<Route>>,
}

/// A command of a module that failed its start-up check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    pub command_type: CommandType,
    /// The command's name without a slash.
    pub name: String,
    pub module: String,
    /// The code of its error, if known.
    pub code: Option<Code>,
}

impl Unavailable {
    /// Builds a slash command, by its names.
    pub(in crate::router) fn of(name: String, command: &NotInForce) -> Self {
        Self { command_type: CommandType::Slash, name, module: command.module.clone(), code: command.code() }
    }

    /// Returns whether it is a subcommand, or a group of them, of a command that works.
    pub fn is_below(&self) -> bool {
        self.command_type == CommandType::Slash && self.name.contains(' ')
    }

    /// Returns the name as people write it: `/weather`; the plain name of a context-menu command.
    pub fn shown(&self) -> String {
        CommandPath::at(self.command_type, &[&self.name]).to_string()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// A bot wrote it, possibly this one.
    FromBot,
    FromWebhook,
    /// Discord wrote it.
    Notice,
    NotAddressed,
    Empty,
}
