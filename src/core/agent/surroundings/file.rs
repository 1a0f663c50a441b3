//! Files that came with a message: which are worth reading, and what was read of them.

use crate::inbound::{AttachedFile, NoPicture, PICTURE_BYTES_MAX, Picture};

/// The most text files of one turn that are read.
pub const FILES_MAX: usize = 5;
/// The most pictures of one turn that are shown.
pub const PICTURES_MAX: usize = 4;
/// The largest text file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 512 * 1024;

/// A file of the message, or of the one that it replies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFile {
    /// The file.
    pub file: AttachedFile,
    /// What was read of it.
    pub content: FileContent,
}

/// What was read of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContent {
    /// Its text, whole.
    Text(String),
    /// The picture that it is.
    Picture(Picture),
    /// Nothing.
    Unread(Unread),
}

/// Why a file was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is a picture, and the model takes none.
    Image,
    /// It is of a type that is no text and no picture.
    NoText,
    /// It is larger than [`FILE_BYTES_MAX`], or a picture larger than [`PICTURE_BYTES_MAX`].
    TooLarge,
    /// It has too many pixels.
    TooManyPixels,
    /// It is said to be a picture, and cannot be read as one.
    NoPicture,
    /// It was not read in time.
    Late,
    /// There is no room for it in the model's context.
    NoRoom,
    /// So many others came before it.
    TooMany,
    /// Discord did not give it.
    Unreachable,
    /// It is not what the message said: longer, or no UTF-8.
    Changed,
}

impl Unread {
    /// For the model.
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

    /// The stable name, in the record of a turn.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::NoText => "no-text",
            Self::TooLarge => "too-large",
            Self::TooManyPixels => "too-many-pixels",
            Self::NoPicture => "no-picture",
            Self::Late => "late",
            Self::NoRoom => "no-room",
            Self::TooMany => "too-many",
            Self::Unreachable => "unreachable",
            Self::Changed => "changed",
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

/// Whether a file is a picture, by what the message says of it.
pub fn is_picture(file: &AttachedFile) -> bool {
    file.media_type.as_deref().is_some_and(|media_type| media_type.starts_with("image/"))
}

/// Why a picture is not worth fetching, for a model that takes pictures. `before`: how many were read before it.
pub fn unread_picture(file: &AttachedFile, before: usize) -> Option<Unread> {
    match file.bytes {
        bytes if PICTURE_BYTES_MAX < bytes => Some(Unread::TooLarge),
        _ if PICTURES_MAX <= before => Some(Unread::TooMany),
        _ => None,
    }
}

/// Why a file that is no picture is not worth fetching, by what the message says of it. `before`: how many were read
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

/// Media types outside of `text/` that are text.
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

/// Extensions of text files of which Discord knows no type.
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
