//! Who asks, and how.

use crate::inbound::place::Place;
use crate::inbound::{Permissions, RoleId, UserId};
use crate::language::Language;

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Their id, taken from the event.
    pub id: UserId,
    /// Their display name. Untrusted text: for display only.
    pub name: String,
    /// What the bot speaks to them.
    pub language: Language,
    /// What they are in the server they ask in; `None` outside of servers, and where the event does not say.
    pub member: Option<Member>,
}

impl Caller {
    /// Somebody of whom nothing else is known.
    pub fn new(id: UserId, name: impl Into<String>) -> Self {
        Self { id, name: name.into(), language: Language::default(), member: None }
    }
}

/// A member of a server, as the event describes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Their roles.
    pub roles: Vec<RoleId>,
    /// What they may do in the channel they ask in. Interactions say so; messages do not.
    pub permissions: Option<Permissions>,
}

/// How a command was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It was chosen in Discord's picker or in a menu.
    Picked,
    /// It was written as text, which may have been meant as words.
    Typed,
    /// A button was pressed, or something chosen in a list, under an answer of the bot.
    Pressed,
    /// A form was sent in.
    Submitted,
}

/// Who asks, where and how.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// Who.
    pub caller: &'a Caller,
    /// Where.
    pub place: Place,
    /// How. What a model asks for counts as typed.
    pub asked: Asked,
}
