//! How the list of commands that Discord offers in a guild follows what is switched off there.

use std::time::SystemTime;

/// Whether Discord's list of commands in a guild is without what is switched off there. Whatever it offers, what is
/// switched off does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picker {
    /// The same list is offered in every guild, with what is switched off.
    SameEverywhere,
    /// A change is on its way.
    Follows,
    /// It is as it should be.
    InStep,
    /// It is not as it should be.
    Behind(Behind),
}

/// Why Discord's list of commands in a guild is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// Discord takes no change before this time.
    Until(SystemTime),
    /// Discord or the store does not answer. It is tried again.
    NoAnswer,
    /// The bot may not make commands in this guild.
    NotAllowed,
    /// Discord refused some of them.
    Refused,
    /// Another process, such as a newer one, has registered other commands.
    Another,
}
