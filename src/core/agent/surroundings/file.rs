//! Files that came with a message: which of them are read, and their content.

use crate::inbound::{AttachedFile, NoPicture, PICTURE_BYTES_MAX, Picture};
use crate::text::names;

/// The maximum number of text files that a turn reads.
pub const FILES_MAX: usize = 5;
/// The maximum number of pictures that a turn shows.
pub const PICTURES_MAX: usize = 4;
/// The size from which on a text file is not read, in bytes.
pub const FILE_BYTES_MAX: u64 = 512 * 1024;

/// A file of the message or of the message that it replies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFile {
    pub file: AttachedFile,
    pub content: FileContent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContent {
    /// The whole text.
    Text(String),
    Picture(Picture),
    Unread(Unread),
}

names! {
    /// The reason why a file was not read.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Unread {
        /// A picture, and the model takes none.
        Image = "image",
        /// Neither a text file nor a picture, by its type.
        NoText = "no-text",
        /// A file of [`FILE_BYTES_MAX`] or more, or a picture of more than [`PICTURE_BYTES_MAX`].
        TooLarge = "too-large",
        TooManyPixels = "too-many-pixels",
        /// Declared as a picture, but not readable as one.
        NoPicture = "no-picture",
        Late = "late",
        /// No room in the model's context.
        NoRoom = "no-room",
        TooMany = "too-many",
        /// Not delivered by Discord.
        Unreachable = "unreachable",
        /// Not as declared by the message: longer, or not UTF-8.
        Changed = "changed",
    }
}

impl Unread {
    /// Returns the reason for the model.
    pub(super) fn told(self) -> &'static str {
        match self {
            Self::Image => "an image, which you cannot see",
            Self::NoText => "no text file, so you cannot read it",
            Self::TooLarge => "too large for you to read",
            Self::TooManyPixels => "an image with too many pixels for you to see",
            Self::NoPicture => "not shown: it is said to be an image, and cannot be read as one",
            Self::Late => "not read: it took too long",
            Self::NoRoom => "an image, for which you have no room",
            Self::TooMany => "not read: too many files",
            Self::Unreachable => "not read: it could not be fetched",
            Self::Changed => "not read: it is not the file that it was announced as",
        }
    }
}

impl From<NoPicture> for Unread {
    fn from(why: NoPicture) -> Self {
        match why {
            NoPicture::Unreadable => Self::NoPicture,
            NoPicture::TooManyPixels => Self::TooManyPixels,
            NoPicture::Late => Self::Late,
        }
    }
}

/// Returns whether the message declares the file as a picture.
pub fn is_picture(file: &AttachedFile) -> bool {
    file.media_type.as_deref().is_some_and(|media_type| media_type.starts_with("image/"))
}

/// Returns why a picture is not fetched, for a model that takes pictures. `before`: the number of pictures read before
/// it.
pub fn unread_picture(file: &AttachedFile, before: usize) -> Option<Unread> {
    match file.bytes {
        bytes if PICTURE_BYTES_MAX < bytes => Some(Unread::TooLarge),
        _ if PICTURES_MAX <= before => Some(Unread::TooMany),
        _ => None,
    }
}

/// Returns why a file that is not a picture is not fetched, judging by the message. `before`: the number of files read
/// before it.
pub fn unread(file: &AttachedFile, before: usize) -> Option<Unread> {
    let media_type = file.media_type.as_deref().unwrap_or_default();
    let kind = media_type.split(';').next().unwrap_or_default().trim();
    let named_as_text = || {
        let extension = file.name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        extension.is_some_and(|extension| TEXT_EXTENSIONS.contains(&extension.as_str()))
    };
    let is_text = kind.starts_with("text/") || TEXT_TYPES.contains(&kind) || kind.is_empty() && named_as_text();
    match file.bytes {
        _ if !is_text => Some(Unread::NoText),
        FILE_BYTES_MAX.. => Some(Unread::TooLarge),
        _ if FILES_MAX <= before => Some(Unread::TooMany),
        _ => None,
    }
}

/// Media types outside `text/` that are text.
const TEXT_TYPES: [&str; 8] = [
    "application/json",
    "application/xml",
    "application/toml",
    "application/yaml",
    "application/x-yaml",
    "application/javascript",
    "application/x-sh",
    "application/sql",
];

/// Extensions of text files whose type Discord does not know.
const TEXT_EXTENSIONS: [&str; 24] = [
    "c", "cfg", "conf", "cpp", "cs", "diff", "go", "h", "hs", "ini", "java", "kt", "lock", "log", "lua", "md", "patch",
    "py", "rb", "rs", "sh", "toml", "ts", "yml",
];

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::agent::surroundings) fn file(name: &str, media_type: Option<&str>, bytes: u64) -> AttachedFile {
        AttachedFile {
            name: name.to_owned(),
            media_type: media_type.map(str::to_owned),
            bytes,
            url: "https://cdn.discordapp.com/attachments/1/2/x".to_owned(),
        }
    }

    #[test]
    fn only_texts_of_a_sensible_size_are_fetched() {
        let cases = [
            (file("a.txt", Some("text/plain; charset=utf-8"), 5), 0, None),
            (file("a.json", Some("application/json"), 5), 0, None),
            (file("a.rs", None, 5), 4, None),
            (file("main.RS", None, FILE_BYTES_MAX - 1), 0, None),
            (file("a.rs", None, 5), FILES_MAX, Some(Unread::TooMany)),
            (file("a.txt", Some("text/plain"), 25_000_000), 0, Some(Unread::TooLarge)),
            (file("a.png.txt", Some("application/pdf"), 5), 0, Some(Unread::NoText)),
            (file("a", None, 5), 0, Some(Unread::NoText)),
        ];
        for (file, before, expected) in cases {
            assert_eq!(unread(&file, before), expected, "{file:?}");
            assert!(!is_picture(&file), "{file:?}");
        }
        let picture = |bytes| file("a.txt", Some("image/png"), bytes);
        assert!(is_picture(&picture(5)));
        assert_eq!(unread_picture(&picture(PICTURE_BYTES_MAX), PICTURES_MAX - 1), None);
        assert_eq!(unread_picture(&picture(PICTURE_BYTES_MAX), PICTURES_MAX), Some(Unread::TooMany));
        assert_eq!(unread_picture(&picture(25_000_000), 0), Some(Unread::TooLarge));
    }
}
