//! What stands around the words of a turn, and where it is looked up.

use async_trait::async_trait;

use super::file::{FILES_MAX, FileContent, ReadFile, Unread};
use crate::agent::mark::HOST;
use crate::inbound::{AttachedFile, EventId, Quoted};
use crate::text::one_line;

/// The most messages that are read up a chain of replies.
pub const QUOTED_MAX: usize = 6;
/// The longest text of one of them that is shown, in characters.
pub const QUOTED_LENGTH_MAX: usize = 2_000;
/// The most files that are named.
pub const FILES_NAMED_MAX: usize = 20;
/// The longest name that is shown, in characters.
pub const NAME_LENGTH_MAX: usize = 100;

/// What stands around the words of one turn. Untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The messages in the chains of replies, the nearest first.
    pub quoted: Vec<Quoted>,
    /// The files, in order.
    pub files: Vec<ReadFile>,
    /// What no model can be shown, in words: `a sticker "wave"`.
    pub unseen: Vec<String>,
    /// Whether the same was asked before.
    pub is_asked_again: bool,
}

/// The names of a place, as far as they are known. Untrusted: people gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceNames {
    /// The guild.
    pub guild: Option<String>,
    /// The channel; of a thread, the one that it belongs to.
    pub channel: Option<String>,
    /// The thread's title.
    pub thread: Option<String>,
}

/// Looks up what stands around a message, where it was sent.
#[async_trait]
pub trait ContextSource: Send + Sync {
    /// How the place of the message is called, as far as it is known.
    async fn names(&self) -> PlaceNames;
    /// An earlier message of the same place.
    async fn message(&self, id: EventId) -> Quoted;
    /// The text of a file.
    async fn file(&self, file: &AttachedFile) -> Result<String, Unread>;
    /// The bytes of a picture's file, at most [`PICTURE_BYTES_MAX`](crate::inbound::PICTURE_BYTES_MAX).
    async fn picture(&self, file: &AttachedFile) -> Result<Vec<u8>, Unread>;
}

impl Surroundings {
    /// Whether there are pictures to show.
    pub fn has_pictures(&self) -> bool {
        self.files.iter().any(|read| matches!(read.content, FileContent::Picture(_)))
    }

    /// What the model is told of this turn's files in later ones, in which it is not shown them again.
    pub fn later(&self) -> Option<String> {
        let names: Vec<_> = self.files.iter().take(FILES_MAX).map(|read| quoted_name(&read.file.name)).collect();
        (!names.is_empty()).then(|| format!("with the file {}, not shown to you again", names.join(", ")))
    }
}

/// A name as data in a line of the host's.
fn quoted_name(name: &str) -> String {
    let name = one_line(name, NAME_LENGTH_MAX).replace(HOST, "(host)").replace(['"', ';'], "'");
    format!("\"{name}\"")
}
