//! The service `attachment`: reads a file that came with a call.

use async_trait::async_trait;

use crate::contract::entity::Attachment;
use crate::language::{Language, say};

/// The largest file that is read, in bytes: the size that every user may upload to Discord.
pub const ATTACHMENT_SIZE_MAX: u64 = 10 * 1024 * 1024;

/// Why a file was not read. As an `Error`, it is for the log; [`AttachmentError::told`] is for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachmentError {
    /// It is larger than this, in bytes. Nothing was fetched.
    #[error("the file has more than {0} bytes")]
    TooLarge(u64),
    /// Discord did not send it, or not in time: it was deleted, or the command was called long ago.
    #[error("the file cannot be fetched")]
    Unreachable,
    /// Its size is not the one that was announced.
    #[error("the file is another than was announced")]
    Changed,
}

impl AttachmentError {
    /// Returns a plain sentence for the caller of a command.
    pub fn told(self, language: Language) -> String {
        match self {
            Self::TooLarge(max) => say!(language, "attachment-too-large", kib = max / 1024),
            Self::Unreachable => say!(language, "attachment-unreachable"),
            Self::Changed => say!(language, "attachment-changed"),
        }
    }
}

/// A reader of files in options of the type [`Attachment`]. It reads from Discord's file hosts only.
#[async_trait]
pub trait Attachments: Send + Sync {
    /// Returns the whole file, if it has at most `max` bytes. `max` may not exceed [`ATTACHMENT_SIZE_MAX`]. The file's
    /// name, media type and content are untrusted.
    async fn read(&self, file: &Attachment, max: u64) -> Result<Vec<u8>, AttachmentError>;
}

/// The files of a call.
pub struct OwnAttachments<'a> {
    pub(in crate::contract::services) attachments: &'a dyn Attachments,
}

impl OwnAttachments<'_> {
    /// Returns the whole of a file that came as an option of this call, if it has at most `max` bytes.
    pub async fn read(&self, file: &Attachment, max: u64) -> Result<Vec<u8>, AttachmentError> {
        let max = max.min(ATTACHMENT_SIZE_MAX);
        if max < file.size {
            return Err(AttachmentError::TooLarge(max));
        }
        self.attachments.read(file, max).await
    }
}
