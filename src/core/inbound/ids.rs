//! Discord ids, with a type for each kind, so that a user cannot be mistaken for a channel.

use std::fmt;

use sha2::{Digest as _, Sha256};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A Discord user. The console's user is 0, which Discord never assigns.
    UserId
);

impl UserId {
    /// No user of Discord: the console's, or where a guild itself calls.
    pub const NOBODY: Self = Self(0);
}

id!(
    /// A Discord guild.
    GuildId
);
id!(
    /// A Discord channel, thread or direct-message channel.
    ChannelId
);
id!(
    /// A role of a guild.
    RoleId
);
id!(
    /// The interaction or message of an event: the key by which it is claimed.
    EventId
);

impl EventId {
    /// The event id of the `n`th call that a chat model makes in the turn of `event`. It is always the same, and
    /// Discord never assigns it: the highest bit of Discord's ids is 0 for the next half century.
    pub fn of_call(event: Self, n: u32) -> Self {
        Self::made_of(&[&event.0.to_be_bytes(), &n.to_be_bytes()])
    }

    /// The id under which a component that works once is claimed: of its message and its custom id. As in
    /// [`EventId::of_call`], Discord never assigns it.
    pub fn of_control(message: u64, custom_id: &str) -> Self {
        Self::made_of(&[b"control", &message.to_be_bytes(), custom_id.as_bytes()])
    }

    /// The id under which the later call of this number is claimed, the same at each try. As in [`EventId::of_call`],
    /// Discord never assigns it.
    pub fn of_due(call: i64) -> Self {
        Self(call.cast_unsigned() | 1 << 63)
    }

    /// The number of the later call that runs under this id, if one does.
    pub fn due_call(self) -> i64 {
        (self.0 & !(1 << 63)).cast_signed()
    }

    /// The id under which what a module has run for an event is claimed: of the kind of event, the module, the channel in
    /// which it is told, and what tells the event from others. As in [`EventId::of_call`], Discord never assigns it.
    pub fn of_happening(kind: &str, module: &str, channel: ChannelId, key: &str) -> Self {
        let (kind_length, module_length) = (kind.len().to_be_bytes(), module.len().to_be_bytes());
        let channel = channel.0.to_be_bytes();
        Self::made_of(&[
            b"event",
            &kind_length,
            kind.as_bytes(),
            &module_length,
            module.as_bytes(),
            &channel,
            key.as_bytes(),
        ])
    }

    fn made_of(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        parts.iter().for_each(|part| hasher.update(part));
        let hash = hasher.finalize().into_iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(byte));
        Self(hash | 1 << 63)
    }
}
