//! Message context: the messages it replies to, its files, and the people it names.
//!
//! All of it is other people's text or data. It is never a command, and never the words of the message's author.

use std::time::SystemTime;

use crate::inbound::{EventId, UserId};

/// The context of a message. Untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CameWith {
    /// The chain of replies: the message it replies to, then the message that one replies to. An event holds at most
    /// one.
    pub quoted: Vec<Quoted>,
    pub files: Vec<AttachedFile>,
    /// Content that a chat model cannot be shown, described in words: `a sticker "wave"`.
    pub unseen: Vec<String>,
    /// The people that it mentions, except the bot.
    pub mentioned: Vec<MentionedPerson>,
    /// The messages that are asked again; their words are used. Empty unless the question is repeated.
    pub asked_again: Vec<EventId>,
}

impl CameWith {
    /// Returns whether there is content for an answer even without words.
    pub fn is_something(&self) -> bool {
        !(self.quoted.is_empty() && self.files.is_empty() && self.unseen.is_empty())
    }
}

/// A message in a chain of replies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quoted {
    Message(QuotedMessage),
    /// It was deleted, or the bot may not read it.
    Gone,
}

/// An earlier message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedMessage {
    pub id: EventId,
    pub by: QuotedAuthor,
    /// The text, exactly as received.
    pub text: String,
    pub sent: SystemTime,
    pub files: Vec<AttachedFile>,
    pub replies_to: Option<EventId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuotedAuthor {
    Itself,
    /// Another user, by display name.
    Other(String),
    /// Unknown: a forwarded message does not say.
    Unknown,
}

/// A file of a message, as the event describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedFile {
    /// The name that its sender gave it.
    pub name: String,
    /// The media type that Discord detected, such as `text/plain; charset=utf-8`. `None` if it did not recognise one.
    pub media_type: Option<String>,
    /// Its size in bytes.
    pub bytes: u64,
    pub url: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionedPerson {
    pub id: UserId,
    pub name: String,
}
