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
    /// The id of the console's user, and of a guild as the caller.
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
    /// Derives the event id of the `n`th call that a chat model makes in the turn of `event`. It is deterministic.
    /// Discord never assigns it: the highest bit of Discord's ids is 0 for the next half century.
    pub fn of_call(event: Self, n: u32) -> Self {
        Self::made_of(&[&event.0.to_be_bytes(), &n.to_be_bytes()])
    }

    /// Derives the id that claims a single-use component from its message and its custom id. As in
    /// [`EventId::of_call`], Discord never assigns it.
    pub fn of_control(message: u64, custom_id: &str) -> Self {
        Self::made_of(&[b"control", &message.to_be_bytes(), custom_id.as_bytes()])
    }

    /// Derives the id that claims a module's scheduled call, the same at each attempt. As in [`EventId::of_call`],
    /// Discord never assigns it.
    pub fn of_due(call: i64) -> Self {
        Self(call.cast_unsigned() | 1 << 63)
    }

    /// Returns the number of the scheduled call with this id. Meaningful only for ids from `of_due`.
    pub fn due_call(self) -> i64 {
        (self.0 & !(1 << 63)).cast_signed()
    }

    /// Derives the id that claims a module's run for a guild event. The parts are the kind of event, the module, the
    /// answer's channel, and a key that distinguishes the event. As in [`EventId::of_call`], Discord never assigns it.
    pub fn of_happening(kind: &str, module: &str, channel: ChannelId, key: &str) -> Self {
        let kind_length = kind.len().to_be_bytes();
        let module_length = module.len().to_be_bytes();
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
