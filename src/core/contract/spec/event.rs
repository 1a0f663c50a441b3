//! Events and times that run a command of a module.

use crate::inbound::CommandPath;
use crate::text::{Cron, names};

names! {
    /// A kind of event.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum EventKind {
        /// A member joined a guild. Discord sends this only to an application with the privileged Server Members intent.
        MemberJoined = "member_joined",
        /// A user reacted to a message.
        ReactionAdded = "reaction_added",
        /// A user wrote a message that is not addressed to the bot. Discord includes its text only for an application with
        /// the privileged Message Content intent.
        Message = "message",
    }
}

impl EventKind {
    /// Returns a description for listings of event commands.
    pub fn words(self) -> &'static str {
        match self {
            Self::MemberJoined => "when somebody joins",
            Self::ReactionAdded => "when somebody reacts",
            Self::Message => "when somebody writes",
        }
    }

    /// Returns the names of the text options that the event can fill.
    pub fn options(self) -> &'static [&'static str] {
        match self {
            Self::MemberJoined => &[],
            Self::ReactionAdded => &["emoji", "message"],
            Self::Message => &["text", "message"],
        }
    }
}

/// A command that runs on an event: an entry of `[events]` in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventHook {
    /// The event.
    pub kind: EventKind,
    /// The command's current path.
    pub path: CommandPath,
}

/// A command that runs at set times: an entry of `[schedules]` in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Its name in the manifest.
    pub name: String,
    /// The times, in the time zone of the place that gets the answer.
    pub cron: Cron,
    /// The command's current path.
    pub path: CommandPath,
}
