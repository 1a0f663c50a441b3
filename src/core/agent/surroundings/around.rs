//! The context of a turn's words, and its lookup.

use async_trait::async_trait;

use super::file::{FILES_MAX, FileContent, ReadFile, Unread};
use crate::agent::text::unmarked;
use crate::inbound::{AttachedFile, EventId, Quoted};
use crate::text::one_line;

/// The maximum number of messages read up a chain of replies.
pub const QUOTED_MAX: usize = 6;
/// The maximum length of a quoted text, in characters.
pub const QUOTED_LENGTH_MAX: usize = 2_000;
/// The maximum number of files named to the model.
pub const FILES_NAMED_MAX: usize = 20;
/// The maximum length of a name, in characters.
pub const NAME_LENGTH_MAX: usize = 100;

/// The context of the words of one turn. Untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The messages in the chains of replies, nearest first.
    pub quoted: Vec<Quoted>,
    pub files: Vec<ReadFile>,
    /// Content that no model can be shown, in words: `a sticker "wave"`.
    pub unseen: Vec<String>,
    pub is_asked_again: bool,
}

/// The known names of a place. Untrusted: people chose them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceNames {
    pub guild: Option<String>,
    /// The channel; for a thread, its parent channel.
    pub channel: Option<String>,
    pub thread: Option<String>,
}

/// The lookup of a message's context in the place where it was sent.
#[async_trait]
pub trait ContextSource: Send + Sync {
    async fn names(&self) -> PlaceNames;
    async fn message(&self, id: EventId) -> Quoted;
    async fn file(&self, file: &AttachedFile) -> Result<String, Unread>;
    /// Returns the bytes of a picture, at most [`PICTURE_BYTES_MAX`](crate::inbound::PICTURE_BYTES_MAX).
    async fn picture(&self, file: &AttachedFile) -> Result<Vec<u8>, Unread>;
}

impl Surroundings {
    pub fn has_pictures(&self) -> bool {
        self.files.iter().any(|read| matches!(read.content, FileContent::Picture(_)))
    }

    /// Describes this turn's files for later turns, which do not show them again.
    pub fn later(&self) -> Option<String> {
        let names: Vec<_> = self.files.iter().take(FILES_MAX).map(|read| quoted_name(&read.file.name)).collect();
        (!names.is_empty()).then(|| format!("with the file {}, not shown to you again", names.join(", ")))
    }
}

/// Formats a name as data in a line of the host.
fn quoted_name(name: &str) -> String {
    let name = unmarked(&one_line(name, NAME_LENGTH_MAX)).replace(['"', ';'], "'");
    format!("\"{name}\"")
}
