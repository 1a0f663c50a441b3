//! The caller of a command, and the way it was called.

use crate::inbound::place::Place;
use crate::inbound::{Permissions, RoleId, UserId};
use crate::language::Language;

/// The user behind an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The user id, taken from the event.
    pub id: UserId,
    /// The display name. Untrusted text: for display only.
    pub name: String,
    /// The language used for them.
    pub language: Language,
    /// Their membership in the guild; `None` outside guilds, and if the event does not say.
    pub member: Option<Member>,
}

impl Caller {
    /// A guild itself, for what its modules do at a time of their own: no person, so that it stays when one leaves.
    /// Nothing that arrives has this caller: no account of Discord has its id.
    pub fn of_guild(language: Language) -> Self {
        Self { language, ..Self::new(UserId::NOBODY, "") }
    }

    /// Whether this is the guild of this place itself. At the console a person has no id, either.
    pub fn is_guild(&self, place: Place) -> bool {
        self.id == UserId::NOBODY && matches!(place, Place::Guild { .. })
    }

    /// A caller of whom nothing else is known.
    pub fn new(id: UserId, name: impl Into<String>) -> Self {
        Self { id, name: name.into(), language: Language::default(), member: None }
    }
}

/// A guild member, as described by the event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Their roles.
    pub roles: Vec<RoleId>,
    /// Their permissions in the channel. Interactions include them; messages do not.
    pub permissions: Option<Permissions>,
}

/// How a command was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallMethod {
    /// Chosen in Discord's picker or in a context menu, in a guild that installed the bot or in direct messages.
    Picked,
    /// The same by somebody who installed the bot for themselves, in a guild that did not: its command permissions do
    /// not apply there.
    PickedByUserInstall,
    /// Typed as text, perhaps meant as chat.
    Typed,
    /// A button was pressed or a select menu used under one of the bot's answers.
    Pressed,
    /// The same of a button for a call that a chat model wrote: a change is shown before it runs.
    Offered,
    /// A modal was submitted.
    Submitted,
}

impl CallMethod {
    /// Whether it was chosen in Discord's picker or in a context menu.
    pub fn is_picked(self) -> bool {
        matches!(self, Self::Picked | Self::PickedByUserInstall)
    }
}

/// Who calls a command, where and how.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The caller.
    pub caller: &'a Caller,
    /// The place.
    pub place: Place,
    /// The way it was called. A chat model's call counts as typed.
    pub method: CallMethod,
}

impl Asking<'_> {
    /// Whether a guild itself calls: see [`Caller::of_guild`].
    pub fn is_guild(&self) -> bool {
        self.caller.is_guild(self.place)
    }
}
