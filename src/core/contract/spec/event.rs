//! What happens on Discord that a manifest may have a command run for.

use crate::inbound::CommandPath;

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// Somebody joined a server. Discord tells this only to an application with the privileged Server Members intent.
    MemberJoined,
    /// Somebody reacted to a message.
    ReactionAdded,
    /// Somebody wrote a message that is not for the bot. Discord shows its text only to an application with the privileged
    /// Message Content intent.
    Message,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::MemberJoined, Self::ReactionAdded, Self::Message];

    /// The name in a manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::MemberJoined => "member_joined",
            Self::ReactionAdded => "reaction_added",
            Self::Message => "message",
        }
    }

    /// The same in words, for those who read what is in force.
    pub fn words(self) -> &'static str {
        match self {
            Self::MemberJoined => "when somebody joins",
            Self::ReactionAdded => "when somebody reacts",
            Self::Message => "when somebody writes",
        }
    }

    /// What the command is told, as texts, if it has options of these names.
    pub fn options(self) -> &'static [&'static str] {
        match self {
            Self::MemberJoined => &[],
            Self::ReactionAdded => &["emoji", "message"],
            Self::Message => &["text", "message"],
        }
    }
}

/// A command that runs when something happens: an entry of `[events]` in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventHook {
    /// What has to happen.
    pub kind: EventKind,
    /// The command, as it is called now.
    pub path: CommandPath,
}
