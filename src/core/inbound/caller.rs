//! The caller of a command, and the way it was called.

use crate::inbound::place::Place;
use crate::inbound::{Permissions, RoleId, UserId};
use crate::language::Language;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The user id, taken from the event.
    pub id: UserId,
    /// The display name. Untrusted text: for display only.
    pub name: String,
    pub language: Language,
    /// Their membership in the guild; `None` outside guilds, and if the event does not say.
    pub member: Option<Member>,
}

impl Caller {
    /// Returns the guild itself as the caller, for events and schedules of its modules. It is not a person, so a
    /// module's work continues when a person leaves. A received event never has this caller, because Discord never
    /// assigns its id.
    pub fn of_guild(language: Language) -> Self {
        Self { language, ..Self::new(UserId::NOBODY, "") }
    }

    /// Returns whether this is the guild of this place itself. The console's user has the same id.
    pub fn is_guild(&self, place: Place) -> bool {
        self.id == UserId::NOBODY && matches!(place, Place::Guild { .. })
    }

    pub fn new(id: UserId, name: impl Into<String>) -> Self {
        Self { id, name: name.into(), language: Language::default(), member: None }
    }
}

/// A guild member, as described by the event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    pub roles: Vec<RoleId>,
    /// Their permissions in the channel. Interactions include them; messages do not.
    pub permissions: Option<Permissions>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallMethod {
    /// Chosen in Discord's picker or in a context menu, in a guild that installed the bot or in direct messages.
    Picked,
    /// The same by a person who installed the bot for themselves, in a guild that did not. That guild's command
    /// permissions do not apply.
    PickedByUserInstall,
    /// Typed as text, perhaps meant as chat.
    Typed,
    /// A button or select menu under one of the bot's answers was used.
    Pressed,
    /// The same for a button of a call that a chat model wrote: a change is shown before it runs.
    Offered,
    Submitted,
}

impl CallMethod {
    pub fn is_picked(self) -> bool {
        matches!(self, Self::Picked | Self::PickedByUserInstall)
    }
}

/// The caller, place and method of a call.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    pub caller: &'a Caller,
    pub place: Place,
    /// The way it was called. A chat model's call counts as typed.
    pub method: CallMethod,
}

impl Asking<'_> {
    /// Returns whether the guild itself calls: see [`Caller::of_guild`].
    pub fn is_guild(&self) -> bool {
        self.caller.is_guild(self.place)
    }
}
