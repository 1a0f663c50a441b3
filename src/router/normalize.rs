//! What a message says first, as a person sees it.

use crate::inbound::UserId;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Nothing visible.
    Empty,
    /// The first visible character reads as a slash; this is everything behind it.
    Slash(String),
    /// Words, without the leading mention of the bot.
    Words(String),
}

pub(super) fn read(text: &str, bot: UserId) -> Reading {
    let _inputs = (text, bot);
    Reading::Empty
}
