//! A validated command: its name, its handler or subcommands, and its terms.

use crate::contract::spec::leaf::Leaf;
use crate::contract::spec::option::Localized;
use crate::contract::spec::origin::{Owner, WrittenAt};
use crate::contract::spec::policy::{Install, InteractionContext, Policy};
use crate::inbound::{CommandPath, CommandType, Permissions};

/// A checked command, complete except for its code.
#[derive(Clone, Debug)]
pub struct Command {
    /// The name: without slash for a slash command; as shown in the menu for a context-menu command.
    pub name: String,
    /// Slash command, user or message context-menu command.
    pub command_type: CommandType,
    /// The description, 1 to 100 characters.
    pub description: String,
    /// Who provides it.
    pub owner: Owner,
    /// Whether only the caller sees its answers.
    pub ephemeral: bool,
    /// Whether only operators may see and run it.
    pub operators_only: bool,
    /// Whether only the chat model may call it, as a tool. It is not registered at Discord.
    pub chat_only: bool,
    /// Its handler or its subcommands.
    pub kind: CommandKind,
    /// Its name and description in other languages.
    pub localized: Localized,
    /// Whether it is for age-restricted channels only.
    pub nsfw: bool,
    /// Where it may be used; `None` leaves that to Discord's default.
    pub contexts: Option<Vec<InteractionContext>>,
    /// How the bot must be installed for it; `None` leaves that to Discord's default.
    pub installs: Option<Vec<Install>>,
    /// The permissions by which Discord decides who sees it, unless a guild's administrators change them. Empty means
    /// administrators only.
    pub default_member_permissions: Option<Permissions>,
    /// Who may run it and how often, according to its manifest.
    pub policy: Policy,
    /// Where the manifest declares it.
    pub written_at: Option<WrittenAt>,
}

impl Command {
    /// Creates a slash command with defaults for everything else.
    pub fn new(name: impl Into<String>, description: impl Into<String>, owner: Owner, kind: CommandKind) -> Self {
        Self::on(CommandType::Slash, name, description, owner, kind)
    }

    /// Creates a command of this type with defaults for everything else.
    pub fn on(
        command_type: CommandType,
        name: impl Into<String>,
        description: impl Into<String>,
        owner: Owner,
        kind: CommandKind,
    ) -> Self {
        Self {
            name: name.into(),
            command_type,
            description: description.into(),
            owner,
            ephemeral: false,
            operators_only: false,
            chat_only: false,
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

    /// Removes these paths from the command. Returns `None` if nothing is left.
    pub(crate) fn without(&self, denied: &[CommandPath]) -> Option<Self> {
        let is_left = |leaf: &Leaf| !denied.contains(&leaf.path);
        let left = |subcommands: &[Subcommand]| -> Vec<_> {
            subcommands.iter().filter(|known| is_left(&known.leaf)).cloned().collect()
        };
        let kind = match &self.kind {
            CommandKind::Leaf(leaf) if is_left(leaf) => self.kind.clone(),
            CommandKind::Leaf(_) => return None,
            CommandKind::Parent { subcommands, groups } => {
                let subcommands = left(subcommands);
                let groups: Vec<_> = groups
                    .iter()
                    .map(|group| Group { subcommands: left(&group.subcommands), ..group.clone() })
                    .filter(|group| !group.subcommands.is_empty())
                    .collect();
                if subcommands.is_empty() && groups.is_empty() {
                    return None;
                }
                CommandKind::Parent { subcommands, groups }
            }
        };
        Some(Self { kind, ..self.clone() })
    }
}

/// The handler or the subcommands of a command.
#[derive(Clone, Debug)]
pub enum CommandKind {
    /// One handler.
    Leaf(Leaf),
    /// Subcommands and groups, in the manifest's order. The command itself cannot be called.
    Parent {
        /// The subcommands directly below the command.
        subcommands: Vec<Subcommand>,
        /// The groups, with further subcommands.
        groups: Vec<Group>,
    },
}

impl CommandKind {
    /// Creates the kind of a command with subcommands and no groups.
    pub fn of_subcommands(subcommands: Vec<Subcommand>) -> Self {
        Self::Parent { subcommands, groups: Vec::new() }
    }
}

/// A group of subcommands.
#[derive(Clone, Debug)]
pub struct Group {
    /// The name.
    pub name: String,
    /// The description, 1 to 100 characters.
    pub description: String,
    /// The subcommands, at least one.
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
    /// The description, 1 to 100 characters.
    pub description: String,
    /// Its options and handler.
    pub leaf: Leaf,
    /// Its name and description in other languages.
    pub localized: Localized,
    /// Where the manifest declares it.
    pub written_at: Option<WrittenAt>,
}

impl Subcommand {
    /// Creates a subcommand with defaults for everything else.
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

impl Command {
    /// Returns the callable leaf with this path.
    pub fn leaf(&self, path: &CommandPath) -> Option<&Leaf> {
        self.leaves().find(|leaf| leaf.path == *path)
    }

    /// Returns its callable subcommands, or itself, each with its description, in order.
    pub fn described(&self) -> impl Iterator<Item = (&Leaf, &str)> {
        let (own, subcommands, groups) = self.parts();
        let own = own.map(|leaf| (leaf, self.description.as_str()));
        let below = subcommands.iter().chain(groups.iter().flat_map(|group| &group.subcommands));
        own.into_iter().chain(below.map(|known| (&known.leaf, known.description.as_str())))
    }

    /// Returns its callable subcommands, or itself, in order.
    pub fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.described().map(|(leaf, _)| leaf)
    }

    fn parts(&self) -> (Option<&Leaf>, &[Subcommand], &[Group]) {
        match &self.kind {
            CommandKind::Leaf(leaf) => (Some(leaf), &[], &[]),
            CommandKind::Parent { subcommands, groups } => (None, subcommands, groups),
        }
    }

    /// Sets each leaf's path from the names above it.
    pub(crate) fn located(mut self) -> Self {
        let command_type = self.command_type;
        let name = self.name.as_str();
        match &mut self.kind {
            CommandKind::Leaf(leaf) => leaf.path = CommandPath::at(command_type, &[name]),
            CommandKind::Parent { subcommands, groups } => {
                for known in subcommands {
                    known.leaf.path = CommandPath::at(command_type, &[name, &known.name]);
                }
                for group in groups {
                    for known in &mut group.subcommands {
                        known.leaf.path = CommandPath::at(command_type, &[name, &group.name, &known.name]);
                    }
                }
            }
        }
        self
    }
}
