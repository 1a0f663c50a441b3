//! Message context: the messages it replies to, its files, and the people it names.
//!
//! All of it is other people's text or data. None of it is ever a command, nor words of whoever wrote the message.

use std::time::SystemTime;

use crate::inbound::{EventId, UserId};

/// What came with a message. Untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CameWith {
    /// The message it replies to, the one which that replies to, and so on. An event holds one at most.
    pub quoted: Vec<Quoted>,
    /// Its files, in order.
    pub files: Vec<AttachedFile>,
    /// What no chat model can be shown, in words for it: `a sticker "wave"`.
    pub unseen: Vec<String>,
    /// The people that it mentions, but for the bot.
    pub mentioned: Vec<MentionedPerson>,
    /// The messages that are asked again with it: its words are theirs. Empty if it is asked for the first time.
    pub asked_again: Vec<EventId>,
}

impl CameWith {
    /// Whether there is something to look at even if there are no words.
    pub fn is_something(&self) -> bool {
        !(self.quoted.is_empty() && self.files.is_empty() && self.unseen.is_empty())
    }
}

/// A message in a chain of replies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quoted {
    /// As it can be read.
    Message(QuotedMessage),
    /// It was deleted, or the bot may not read it.
    Gone,
}

/// Somebody's earlier message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedMessage {
    /// Its id.
    pub id: EventId,
    /// Who wrote it.
    pub by: QuotedAuthor,
    /// The text, exactly as received.
    pub text: String,
    /// When it was sent.
    pub sent: SystemTime,
    /// Its files, in order.
    pub files: Vec<AttachedFile>,
    /// The message that it replies to in turn.
    pub replies_to: Option<EventId>,
}

/// Who wrote an earlier message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuotedAuthor {
    /// This bot.
    Itself,
    /// Somebody else, by their display name.
    Other(String),
    /// Unknown: a forwarded message does not say.
    Unknown,
}

/// A file of a message, as the event describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedFile {
    /// The name that its sender gave it.
    pub name: String,
    /// The media type that Discord found, such as `text/plain; charset=utf-8`. `None` if it did not recognise one.
    pub media_type: Option<String>,
    /// Its size in bytes.
    pub bytes: u64,
    /// Where it can be read.
    pub url: String,
}

/// A person that a message mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionedPerson {
    /// Their id.
    pub id: UserId,
    /// Their display name.
    pub name: String,
}
