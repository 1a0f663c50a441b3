//! A command that passed the check: what it is called, what it takes, who answers it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::contract::Policy;
use crate::inbound::{CommandPath, CommandType, Permissions};

/// Who brings a command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// The bot itself.
    Builtin,
    /// The module of this name.
    Module(String),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin => f.write_str("harness"),
            Self::Module(name) => f.write_str(name),
        }
    }
}

/// Names and descriptions in other languages, by Discord's locale (`de`, `en-GB`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Localized {
    /// Names, under the same rules as the name itself.
    pub names: BTreeMap<String, String>,
    /// Descriptions, in 1 to 100 characters.
    pub descriptions: BTreeMap<String, String>,
}

/// Where something stands in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenAt {
    /// The manifest: `modules/tasks/module.toml`.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for WrittenAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Where a command may be used. See Discord's documentation, interaction context types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Context {
    /// In servers.
    Guild = 0,
    /// In a direct message with the bot.
    BotDm = 1,
    /// In direct messages and groups without the bot.
    PrivateChannel = 2,
}

/// How the bot must be installed for a command to show. See Discord's documentation, application integration types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Install {
    /// In the server.
    Guild = 0,
    /// By the person.
    User = 1,
}

/// A command and everything that may be said about it before it runs.
#[derive(Clone, Debug)]
pub struct Command {
    /// The name without its slash; of an entry in a menu, the entry.
    pub name: String,
    /// Where it is found.
    pub surface: CommandType,
    /// What it does, in 1 to 100 characters.
    pub description: String,
    /// Who brings it.
    pub owner: Owner,
    /// Whether answers are shown to the asker alone.
    pub ephemeral: bool,
    /// Whether only operators may run it and see it.
    pub operators_only: bool,
    /// What stands behind it.
    pub kind: CommandKind,
    /// Its name and description in other languages.
    pub localized: Localized,
    /// Whether it is for age-restricted channels only.
    pub nsfw: bool,
    /// Where it may be used; `None` leaves that to Discord's default.
    pub contexts: Option<Vec<Context>>,
    /// How the bot must be installed for it; `None` leaves that to Discord's default.
    pub installs: Option<Vec<Install>>,
    /// Whom Discord shows it to, until a server's administrators decide otherwise. None at all is administrators only.
    pub default_member_permissions: Option<Permissions>,
    /// Who may run it, and how often, by its manifest.
    pub policy: Policy,
    /// Where its manifest declares it.
    pub written_at: Option<WrittenAt>,
}

impl Command {
    /// A slash command of which nothing else is said.
    pub fn new(name: impl Into<String>, description: impl Into<String>, owner: Owner, kind: CommandKind) -> Self {
        Self::on(CommandType::Slash, name, description, owner, kind)
    }

    /// A command of this surface, of which nothing else is said.
    pub fn on(
        surface: CommandType,
        name: impl Into<String>,
        description: impl Into<String>,
        owner: Owner,
        kind: CommandKind,
    ) -> Self {
        Self {
            name: name.into(),
            surface,
            description: description.into(),
            owner,
            ephemeral: false,
            operators_only: false,
            kind,
            localized: Localized::default(),
            nsfw: false,
            contexts: None,
            installs: None,
            default_member_permissions: None,
            policy: Policy::default(),
            written_at: None,
        }
        .located()
    }
}

/// What stands behind a command.
#[derive(Clone, Debug)]
pub enum CommandKind {
    /// One handler.
    Leaf(Leaf),
    /// Subcommands and groups of them, in the order of the manifest; the command itself cannot be called.
    Parent {
        /// Directly below the command.
        subcommands: Vec<Subcommand>,
        /// One level further down.
        groups: Vec<Group>,
    },
}

impl CommandKind {
    /// A command of subcommands alone.
    pub fn of_subcommands(subcommands: Vec<Subcommand>) -> Self {
        Self::Parent { subcommands, groups: Vec::new() }
    }
}

/// A group of subcommands.
#[derive(Clone, Debug)]
pub struct Group {
    /// The name.
    pub name: String,
    /// What it is for, in 1 to 100 characters.
    pub description: String,
    /// At least one.
    pub subcommands: Vec<Subcommand>,
    /// Its name and description in other languages.
    pub localized: Localized,
    /// Where its manifest declares it.
    pub written_at: Option<WrittenAt>,
}

/// A subcommand of a command.
#[derive(Clone, Debug)]
pub struct Subcommand {
    /// The name.
    pub name: String,
    /// What it does, in 1 to 100 characters.
    pub description: String,
    /// What it takes and who answers.
    pub leaf: Leaf,
    /// Its name and description in other languages.
    pub localized: Localized,
    /// Where its manifest declares it.
    pub written_at: Option<WrittenAt>,
}

impl Subcommand {
    /// A subcommand of which nothing else is said.
    pub fn new(name: impl Into<String>, description: impl Into<String>, leaf: Leaf) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            leaf,
            localized: Localized::default(),
            written_at: None,
        }
    }
}

/// Something that can be called.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its full name.
    pub path: CommandPath,
    /// What it takes: options that Discord demands first, as it wants them.
    pub options: Vec<OptionSpec>,
    /// Who answers.
    pub handler: HandlerRef,
    /// How the chat model may call it, if it may.
    pub tool: Option<ToolSpec>,
}

/// Which handler answers: the code behind the name is in the registry, by owner and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerRef {
    /// The name that the manifest calls it by.
    pub name: Arc<str>,
    /// How it is provided.
    pub kind: HandlerKind,
}

/// How a handler is provided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlerKind {
    /// Rust, compiled in.
    Native,
}

impl HandlerKind {
    /// The word for it in the registration table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
        }
    }
}

/// A command as a tool of the chat model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// What the model calls it: 1 to 64 characters of `a-z A-Z 0-9 _ -`, the only one of that name. See the
    /// documentation of OpenAI's function calling.
    pub name: String,
    /// Whether it changes something. Such a tool is offered where the operator allows it, and a person confirms
    /// each call.
    pub writes: bool,
    /// Words by which a reply claims that it ran, such as `saved`: lower-case past participles.
    pub claims: Vec<String>,
}

/// What the model calls a command if its manifest gives no other name: `/tasks list` is `tasks_list`.
pub fn tool_name(path: &CommandPath) -> String {
    path.names().collect::<Vec<_>>().join("_")
}

impl Leaf {
    /// What a handler of this program answers. Its command gives it its name.
    pub fn new(handler: &str, options: Vec<OptionSpec>, tool: Option<ToolSpec>) -> Self {
        let handler = HandlerRef { name: handler.into(), kind: HandlerKind::Native };
        Self { path: CommandPath::at(CommandType::Slash, &[]), options, handler, tool }
    }

    /// The option of that name.
    pub fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }
}

/// One option of a command.
#[derive(Clone, Debug)]
pub struct OptionSpec {
    /// The name.
    pub name: String,
    /// What it means, in 1 to 100 characters.
    pub description: String,
    /// What may be given.
    pub kind: OptionKind,
    /// Whether it must be given.
    pub required: bool,
    /// Whether the code suggests values while a person types.
    pub autocomplete: bool,
    /// Whether a form asks for it when it is not given. Such an option is text, and may be left out at Discord even if
    /// it is required.
    pub form: bool,
    /// Its name and description in other languages.
    pub localized: Localized,
    /// Where its manifest mentions it.
    pub written_at: Option<WrittenAt>,
}

impl OptionSpec {
    /// An option of which nothing else is said.
    pub fn new(name: impl Into<String>, description: impl Into<String>, kind: OptionKind, required: bool) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            kind,
            required,
            autocomplete: false,
            form: false,
            localized: Localized::default(),
            written_at: None,
        }
    }

    /// Whether Discord demands it. What a form asks for may be left out there.
    pub fn is_demanded(&self) -> bool {
        self.required && !self.form
    }
}

/// What may be given for an option, with its bounds. Bounds are inclusive.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionKind {
    /// Text. Lengths in characters.
    String {
        /// Shortest text.
        min_length: Option<u16>,
        /// Longest text.
        max_length: Option<u16>,
        /// The only texts allowed; empty means any.
        choices: Vec<Choice>,
    },
    /// A whole number.
    Integer {
        /// Smallest.
        min: Option<i64>,
        /// Largest.
        max: Option<i64>,
        /// The only numbers allowed; empty means any.
        choices: Vec<Choice<i64>>,
    },
    /// A number.
    Number {
        /// Smallest.
        min: Option<f64>,
        /// Largest.
        max: Option<f64>,
        /// The only numbers allowed; empty means any.
        choices: Vec<Choice<f64>>,
    },
    /// `true` or `false`.
    Boolean,
    /// A person or a bot: [`entity::User`](crate::contract::entity::User).
    User,
    /// A channel: [`entity::Channel`](crate::contract::entity::Channel).
    Channel {
        /// Discord's numbers for the types it may have; empty means any.
        types: Vec<u8>,
    },
    /// A role: [`entity::Role`](crate::contract::entity::Role).
    Role,
    /// A person or a role: [`entity::Mentionable`](crate::contract::entity::Mentionable).
    Mentionable,
    /// A file: [`entity::Attachment`](crate::contract::entity::Attachment).
    Attachment,
    /// The message that an entry of its menu was chosen on: [`entity::MessageRef`](crate::contract::entity::MessageRef). Never an option at Discord.
    Message,
}

impl OptionKind {
    /// Whether it is something that a person points at, which cannot be written as a text or a number.
    pub fn is_entity(&self) -> bool {
        match self {
            Self::String { .. } | Self::Integer { .. } | Self::Number { .. } | Self::Boolean => false,
            Self::User | Self::Channel { .. } | Self::Role | Self::Mentionable | Self::Attachment | Self::Message => {
                true
            }
        }
    }

    /// The word for it in usage lines and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::String { .. } => "text",
            Self::Integer { .. } => "whole number",
            Self::Number { .. } => "number",
            Self::Boolean => "true or false",
            Self::User => "user",
            Self::Channel { .. } => "channel",
            Self::Role => "role",
            Self::Mentionable => "user or role",
            Self::Attachment => "file",
            Self::Message => "message",
        }
    }
}

/// A choice of an option: what is shown and what is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<V = String> {
    /// Shown to the person.
    pub name: String,
    /// The same in other languages, by Discord's locale.
    pub names: BTreeMap<String, String>,
    /// Given to the handler.
    pub value: V,
}

impl<V> Choice<V> {
    /// A choice with one name.
    pub fn new(name: impl Into<String>, value: V) -> Self {
        Self { name: name.into(), names: BTreeMap::new(), value }
    }
}

impl Command {
    /// What of it is called by this path.
    pub fn leaf(&self, path: &CommandPath) -> Option<&Leaf> {
        self.leaves().find(|leaf| leaf.path == *path)
    }

    /// Everything of it that can be called, with its own description, in order.
    pub fn described(&self) -> impl Iterator<Item = (&Leaf, &str)> {
        let (own, subcommands, groups) = self.parts();
        let own = own.map(|leaf| (leaf, self.description.as_str()));
        let below = subcommands.iter().chain(groups.iter().flat_map(|group| &group.subcommands));
        own.into_iter().chain(below.map(|known| (&known.leaf, known.description.as_str())))
    }

    /// Everything of it that can be called, in order.
    pub fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.described().map(|(leaf, _)| leaf)
    }

    fn parts(&self) -> (Option<&Leaf>, &[Subcommand], &[Group]) {
        match &self.kind {
            CommandKind::Leaf(leaf) => (Some(leaf), &[], &[]),
            CommandKind::Parent { subcommands, groups } => (None, subcommands, groups),
        }
    }

    /// The same with each of its leaves named by where it stands.
    fn located(mut self) -> Self {
        let (surface, name) = (self.surface, self.name.as_str());
        match &mut self.kind {
            CommandKind::Leaf(leaf) => leaf.path = CommandPath::at(surface, &[name]),
            CommandKind::Parent { subcommands, groups } => {
                for known in subcommands {
                    known.leaf.path = CommandPath::at(surface, &[name, &known.name]);
                }
                for group in groups {
                    for known in &mut group.subcommands {
                        known.leaf.path = CommandPath::at(surface, &[name, &group.name, &known.name]);
                    }
                }
            }
        }
        self
    }
}
