//! Discord's ids: numbers with a type each, so that a user can never be mistaken for a channel.

use sha2::{Digest as _, Sha256};
use std::fmt;

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
    /// A person, as Discord numbers them. The console's person is 0, which Discord never gives out.
    UserId
);
id!(
    /// A Discord server.
    GuildId
);
id!(
    /// A Discord channel, thread or direct-message channel.
    ChannelId
);
id!(
    /// A role of a Discord server.
    RoleId
);
id!(
    /// The interaction or message an inbound came from: the key of its claim.
    EventId
);

impl EventId {
    /// The event of the `n`th call that a chat model makes in the turn of `event`: always the same one, and none
    /// that Discord gives out, whose highest bit is 0 for the next half century.
    pub fn of_call(event: Self, n: u32) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(event.0.to_be_bytes());
        hasher.update(n.to_be_bytes());
        let hash = hasher.finalize().into_iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(byte));
        Self(hash | 1 << 63)
    }
}
