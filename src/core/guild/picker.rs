//! The state of Discord's command list in a guild, compared with its switched-off commands.

use std::time::SystemTime;

/// Whether Discord's command list in a guild omits the switched-off commands. A switched-off command never runs, even
/// if Discord lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picker {
    /// Every guild has the same list, including switched-off commands.
    SameEverywhere,
    /// A change is on its way.
    Follows,
    /// The list is up to date.
    InStep,
    /// The list is not up to date.
    Behind(Behind),
}

/// Why Discord's command list in a guild is out of date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// Discord accepts no change before this time.
    Until(SystemTime),
    /// Discord or the store does not answer. The bot retries.
    NoAnswer,
    /// The bot may not create commands in this guild.
    NotAllowed,
    /// Discord refused some of them.
    Refused,
    /// Another process, such as a newer one, has registered other commands.
    Another,
}
