//! A validated command: its name, options, handler and terms.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::contract::Policy;
use crate::inbound::{CommandPath, CommandType, Permissions};

/// Who provides a command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// The bot: a built-in command.
    Builtin,
    /// The module with this name.
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

/// Localized names and descriptions, by Discord's locale (`de`, `en-GB`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Localized {
    /// Names, under the same rules as the name itself.
    pub names: BTreeMap<String, String>,
    /// Descriptions, 1 to 100 characters.
    pub descriptions: BTreeMap<String, String>,
}

/// A position in a manifest.
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
    /// In guilds.
    Guild = 0,
    /// In direct messages with the bot.
    BotDm = 1,
    /// In direct messages and groups without the bot.
    PrivateChannel = 2,
}

/// How the bot must be installed for a command to show. See Discord's documentation, application integration types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Install {
    /// In the guild.
    Guild = 0,
    /// By the user.
    User = 1,
}

/// A command with everything known about it before it runs.
#[derive(Clone, Debug)]
pub struct Command {
    /// The name: without slash for a slash command; as shown in the menu for a context-menu command.
    pub name: String,
    /// Slash command, user or message context-menu command.
    pub surface: CommandType,
    /// What it does, 1 to 100 characters.
    pub description: String,
    /// Who provides it.
    pub owner: Owner,
    /// Whether only the caller sees its answers.
    pub ephemeral: bool,
    /// Whether only operators may see and run it.
    pub operators_only: bool,
    /// Its handler or its subcommands.
    pub kind: CommandKind,
    /// Its name and description in other languages.
    pub localized: Localized,
    /// Whether it is for age-restricted channels only.
    pub nsfw: bool,
    /// Where it may be used; `None` leaves that to Discord's default.
    pub contexts: Option<Vec<Context>>,
    /// How the bot must be installed for it; `None` leaves that to Discord's default.
    pub installs: Option<Vec<Install>>,
    /// Whom Discord shows it to unless a guild's administrators change that. An empty set means administrators only.
    pub default_member_permissions: Option<Permissions>,
    /// Who may run it and how often, according to its manifest.
    pub policy: Policy,
    /// Where the manifest declares it.
    pub written_at: Option<WrittenAt>,
}

impl Command {
    /// A slash command with defaults for everything else.
    pub fn new(name: impl Into<String>, description: impl Into<String>, owner: Owner, kind: CommandKind) -> Self {
        Self::on(CommandType::Slash, name, description, owner, kind)
    }

    /// A command of this type with defaults for everything else.
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

/// The handler or the subcommands of a command.
#[derive(Clone, Debug)]
pub enum CommandKind {
    /// One handler.
    Leaf(Leaf),
    /// Subcommands and groups, in the manifest's order; the command itself cannot be called.
    Parent {
        /// The subcommands directly below the command.
        subcommands: Vec<Subcommand>,
        /// The groups, with further subcommands.
        groups: Vec<Group>,
    },
}

impl CommandKind {
    /// A command with only subcommands.
    pub fn of_subcommands(subcommands: Vec<Subcommand>) -> Self {
        Self::Parent { subcommands, groups: Vec::new() }
    }
}

/// A group of subcommands.
#[derive(Clone, Debug)]
pub struct Group {
    /// The name.
    pub name: String,
    /// What it is for, 1 to 100 characters.
    pub description: String,
    /// The subcommands: at least one.
    pub subcommands: Vec<Subcommand>,
    /// Its name and description in other languages.
    pub localized: Localized,
    /// Where the manifest declares it.
    pub written_at: Option<WrittenAt>,
}

/// A subcommand of a command.
#[derive(Clone, Debug)]
pub struct Subcommand {
    /// The name.
    pub name: String,
    /// What it does, 1 to 100 characters.
    pub description: String,
    /// Its options and handler.
    pub leaf: Leaf,
    /// Its name and description in other languages.
    pub localized: Localized,
    /// Where the manifest declares it.
    pub written_at: Option<WrittenAt>,
}

impl Subcommand {
    /// A subcommand with defaults for everything else.
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

/// A callable command or subcommand.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its full name.
    pub path: CommandPath,
    /// The options, in Discord's order: required ones first.
    pub options: Vec<OptionSpec>,
    /// The handler.
    pub handler: HandlerRef,
    /// How the chat model may call it, if it may.
    pub tool: Option<ToolSpec>,
}

/// A reference to a handler: the registry finds the code by owner and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerRef {
    /// The name that the manifest uses.
    pub name: Arc<str>,
    /// How it is provided.
    pub kind: HandlerKind,
}

/// How a handler is provided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlerKind {
    /// A compiled-in Rust function.
    Native,
}

impl HandlerKind {
    /// The word used in the registration table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
        }
    }
}

/// A command as a tool of the chat model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// The name the model uses: 1 to 64 characters of `a-z A-Z 0-9 _ -`, unique. See OpenAI's documentation of function
    /// calling.
    pub name: String,
    /// Whether it changes something. Such a tool is offered only where the operator allows it, and a person confirms
    /// each call.
    pub writes: bool,
    /// Words by which a reply claims that the tool ran, such as `saved`: lower-case past participles.
    pub claims: Vec<String>,
}

/// The default tool name of a command: `/tasks list` is `tasks_list`.
pub fn tool_name(path: &CommandPath) -> String {
    path.names().collect::<Vec<_>>().join("_")
}

impl Leaf {
    /// A leaf answered by a compiled-in handler. Its command sets its path.
    pub fn new(handler: &str, options: Vec<OptionSpec>, tool: Option<ToolSpec>) -> Self {
        let handler = HandlerRef { name: handler.into(), kind: HandlerKind::Native };
        Self { path: CommandPath::at(CommandType::Slash, &[]), options, handler, tool }
    }

    /// The option with that name.
    pub fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }
}

/// One option of a command.
#[derive(Clone, Debug)]
pub struct OptionSpec {
    /// The name.
    pub name: String,
    /// What it means, 1 to 100 characters.
    pub description: String,
    /// The accepted values.
    pub kind: OptionKind,
    /// Whether it is required.
    pub required: bool,
    /// Whether a completer suggests values while the user types.
    pub autocomplete: bool,
    /// Whether a modal asks for it when it is not given. Such an option is text, and optional on Discord even if it is
    /// required.
    pub form: bool,
    /// Its name and description in other languages.
    pub localized: Localized,
    /// Where the manifest mentions it.
    pub written_at: Option<WrittenAt>,
}

impl OptionSpec {
    /// An option with defaults for everything else.
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

    /// Whether Discord requires it. An option that a modal asks for is optional on Discord.
    pub fn is_demanded(&self) -> bool {
        self.required && !self.form
    }
}

/// The type of an option, with its bounds. Bounds are inclusive.
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
    /// A user or a bot: [`entity::User`](crate::contract::entity::User).
    User,
    /// A channel: [`entity::Channel`](crate::contract::entity::Channel).
    Channel {
        /// Discord's numbers for the accepted channel types; empty means any.
        types: Vec<u8>,
    },
    /// A role: [`entity::Role`](crate::contract::entity::Role).
    Role,
    /// A user or a role: [`entity::Mentionable`](crate::contract::entity::Mentionable).
    Mentionable,
    /// A file: [`entity::Attachment`](crate::contract::entity::Attachment).
    Attachment,
    /// The message that a context-menu command was used on:
    /// [`entity::MessageRef`](crate::contract::entity::MessageRef). Never an option on Discord.
    Message,
}

impl OptionKind {
    /// Whether it is a Discord object, which cannot be written as text or a number.
    pub fn is_entity(&self) -> bool {
        match self {
            Self::String { .. } | Self::Integer { .. } | Self::Number { .. } | Self::Boolean => false,
            Self::User | Self::Channel { .. } | Self::Role | Self::Mentionable | Self::Attachment | Self::Message => {
                true
            }
        }
    }

    /// The word used in usage lines and messages.
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

/// A choice of an option: the name shown and the value given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<V = String> {
    /// Shown to the user.
    pub name: String,
    /// Localized names, by Discord's locale.
    pub names: BTreeMap<String, String>,
    /// Given to the handler.
    pub value: V,
}

impl<V> Choice<V> {
    /// A choice without localized names.
    pub fn new(name: impl Into<String>, value: V) -> Self {
        Self { name: name.into(), names: BTreeMap::new(), value }
    }
}

impl Command {
    /// The callable leaf with this path.
    pub fn leaf(&self, path: &CommandPath) -> Option<&Leaf> {
        self.leaves().find(|leaf| leaf.path == *path)
    }

    /// Its callable subcommands (or itself) with their descriptions, in order.
    pub fn described(&self) -> impl Iterator<Item = (&Leaf, &str)> {
        let (own, subcommands, groups) = self.parts();
        let own = own.map(|leaf| (leaf, self.description.as_str()));
        let below = subcommands.iter().chain(groups.iter().flat_map(|group| &group.subcommands));
        own.into_iter().chain(below.map(|known| (&known.leaf, known.description.as_str())))
    }

    /// Its callable subcommands, or itself, in order.
    pub fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.described().map(|(leaf, _)| leaf)
    }

    fn parts(&self) -> (Option<&Leaf>, &[Subcommand], &[Group]) {
        match &self.kind {
            CommandKind::Leaf(leaf) => (Some(leaf), &[], &[]),
            CommandKind::Parent { subcommands, groups } => (None, subcommands, groups),
        }
    }

    /// The same command with each leaf's path set by its position.
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
