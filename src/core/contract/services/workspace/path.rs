//! Paths in a workspace that are safe on every system. All others are refused.

use std::fmt;

use unicode_normalization::UnicodeNormalization as _;

use crate::language::{Language, say};
use crate::text::seen;

/// In characters.
const LENGTH_MAX: usize = 200;
/// The most folders above a file, and the most parts of a folder's path.
const FOLDERS_MAX: usize = 8;
/// The longest name of a file or folder, in bytes: the limit of common file systems.
const NAME_SIZE_MAX: usize = 255;
/// Names that Windows treats as devices, with any extension. See Microsoft's documentation, "Naming Files, Paths, and
/// Namespaces".
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// Device names followed by a number.
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// A relative path in a workspace: plain names separated by `/`, without `..`. It is normalized to NFC, so that a name
/// is equal however a keyboard composes its letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// The prefix of the bot's own temporary files. No name in a path may begin with it.
    pub const OWN_PREFIX: &str = ".candor-";

    /// Parses the path of a file. The error says why it is invalid.
    pub fn of_file(text: &str) -> Result<Self, PathProblem> {
        Self::checked(text, FOLDERS_MAX + 1)
    }

    /// Parses the path of a folder. A trailing `/` is removed.
    pub fn of_folder(text: &str) -> Result<Self, PathProblem> {
        Self::checked(text.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(text), FOLDERS_MAX)
    }

    fn checked(text: &str, parts_max: usize) -> Result<Self, PathProblem> {
        // Check the original text first: it may be of any length.
        match problem(text, parts_max) {
            Some(problem) => Err(problem),
            None => {
                let composed: String = text.nfc().collect();
                problem(&composed, parts_max).map_or(Ok(Self(composed)), Err)
            }
        }
    }

    /// Returns the parts from the top down, at least one.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }
}

/// Why a text is not a valid path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathProblem {
    /// It is empty.
    Empty,
    /// It has more than 200 characters.
    TooLong,
    /// It begins with `/`.
    FromRoot,
    /// It contains this character, which some system treats specially or which is invisible.
    Letter(char),
    /// It goes through more than eight folders.
    TooDeep,
    /// It contains `//`.
    EmptyName,
    /// A name is `.` or `..`.
    Dots,
    /// A name ends with a dot.
    LastDot,
    /// A name begins or ends with a space.
    Space,
    /// A name has more than 255 bytes.
    LongName,
    /// A name is a device on Windows.
    Device,
    /// A name begins like the bot's own temporary files.
    Own,
}

impl PathProblem {
    pub(super) fn told(self, language: Language) -> String {
        match self {
            Self::Empty => say!(language, "path-empty"),
            Self::TooLong => say!(language, "path-too-long", max = LENGTH_MAX),
            Self::FromRoot => say!(language, "path-from-root"),
            Self::Letter(letter) => say!(language, "path-letter", letter = letter.escape_default().to_string()),
            Self::TooDeep => say!(language, "path-too-deep", max = FOLDERS_MAX),
            Self::EmptyName => say!(language, "path-empty-name"),
            Self::Dots => say!(language, "path-dots"),
            Self::LastDot => say!(language, "path-last-dot"),
            Self::Space => say!(language, "path-space"),
            Self::LongName => say!(language, "path-long-name"),
            Self::Device => say!(language, "path-device"),
            Self::Own => say!(language, "path-own", prefix = WorkspacePath::OWN_PREFIX),
        }
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns why a text is not a valid path, or `None` if it is.
fn problem(text: &str, parts_max: usize) -> Option<PathProblem> {
    if text.is_empty() {
        return Some(PathProblem::Empty);
    }
    // `nth` stops early: the text may be of any length.
    if text.chars().nth(LENGTH_MAX).is_some() {
        return Some(PathProblem::TooLong);
    }
    if text.starts_with('/') {
        return Some(PathProblem::FromRoot);
    }
    if let Some((strange, _)) = seen(text).find(|&(letter, is_hidden)| is_hidden || is_refused(letter)) {
        return Some(PathProblem::Letter(strange));
    }
    if parts_max < text.split('/').count() {
        return Some(PathProblem::TooDeep);
    }
    text.split('/').find_map(problem_of_name)
}

/// Returns whether some system treats the character specially in names.
fn is_refused(letter: char) -> bool {
    "\\:*?\"<>|`".contains(letter) || (letter.is_whitespace() && letter != ' ')
}

fn problem_of_name(name: &str) -> Option<PathProblem> {
    match name {
        "" => Some(PathProblem::EmptyName),
        "." | ".." => Some(PathProblem::Dots),
        _ if name.ends_with('.') => Some(PathProblem::LastDot),
        _ if name.trim() != name => Some(PathProblem::Space),
        _ if NAME_SIZE_MAX < name.len() => Some(PathProblem::LongName),
        _ if is_device(name) => Some(PathProblem::Device),
        _ if name.to_lowercase().starts_with(WorkspacePath::OWN_PREFIX) => Some(PathProblem::Own),
        _ => None,
    }
}

/// Returns whether Windows treats the name as a device: `con`, `NUL.txt`, `com1`, `lpt¹`.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_lowercase();
    let is_number = |rest: &str| {
        let mut letters = rest.chars();
        let first = letters.next();
        letters.next().is_none() && first.is_some_and(|letter| letter.is_ascii_digit() || "¹²³".contains(letter))
    };
    DEVICES.contains(&stem.as_str())
        || NUMBERED_DEVICES.iter().any(|device| stem.strip_prefix(device).is_some_and(is_number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::services::workspace::WorkspaceRefusal;

    fn refusal(read: Result<WorkspacePath, PathProblem>) -> String {
        WorkspaceRefusal::from(read.unwrap_err()).told(Language::ENGLISH)
    }

    #[test]
    fn plain_paths_are_taken_as_they_are() {
        let longest = "x".repeat(200);
        for path in [
            "a",
            "notes.txt",
            ".gitignore",
            "notes/2026-11-22.md",
            "a/b/c/d/e/f/g/h/file",
            "größe und übel.txt",
            "日記/一.txt",
            "a..b",
            "...a",
            "console",
            "com",
            "com10",
            "nully.txt",
            "-rf",
            "~",
            "$HOME",
            "%2e%2e",
            &longest,
        ] {
            assert_eq!(WorkspacePath::of_file(path).unwrap(), WorkspacePath(path.to_owned()));
        }
        // A name is composed, and keeps the joiners that its letters need.
        for (path, expected) in [("gro\u{308}ße", "größe"), ("می\u{200c}خواهم", "می\u{200c}خواهم")] {
            assert_eq!(WorkspacePath::of_file(path).unwrap(), WorkspacePath(expected.to_owned()));
        }
        for (folder, expected) in [("notes/", "notes"), ("a/b", "a/b"), ("a/b/c/d/e/f/g/h", "a/b/c/d/e/f/g/h")] {
            assert_eq!(WorkspacePath::of_folder(folder).unwrap(), WorkspacePath(expected.to_owned()));
        }
    }

    #[test]
    fn everything_that_could_lead_elsewhere_is_refused() {
        let long = "x".repeat(201);
        let wide = "ü".repeat(150);
        let cases = [
            ("", "it is empty"),
            ("/etc/passwd", "begins at the root"),
            ("/", "begins at the root"),
            ("//host/share", "begins at the root"),
            ("../x", "`..` are not names"),
            ("..", "`..` are not names"),
            ("a/../../b", "`..` are not names"),
            ("a/..", "`..` are not names"),
            ("./a", "`..` are not names"),
            ("a//b", "a name in it is empty"),
            ("a/", "a name in it is empty"),
            ("..\\x", "'\\\\' cannot be part"),
            ("C:\\x", "':' cannot be part"),
            ("c:x", "':' cannot be part"),
            ("file.txt:stream", "':' cannot be part"),
            ("a\0b", "'\\u{0}' cannot be part"),
            ("a\nb", "'\\n' cannot be part"),
            ("a\tb", "'\\t' cannot be part"),
            ("a\u{202e}txt.b", "'\\u{202e}' cannot be part"),
            ("a\u{200c}b", "'\\u{200c}' cannot be part"),
            ("a\u{200b}", "'\\u{200b}' cannot be part"),
            ("a\u{a0}b", "'\\u{a0}' cannot be part"),
            ("a`b", "'`' cannot be part"),
            ("what?", "'?' cannot be part"),
            ("a|b", "'|' cannot be part"),
            ("con", "is a device"),
            ("CON", "is a device"),
            ("notes/nul.txt", "is a device"),
            ("aux .txt", "is a device"),
            ("Com1", "is a device"),
            ("lpt³.log", "is a device"),
            ("a.", "ends with a dot"),
            ("...", "ends with a dot"),
            ("a./b", "ends with a dot"),
            (" a", "begins or ends with a space"),
            ("a /b", "begins or ends with a space"),
            (".candor-1-2.tmp", "the bot's own"),
            (".Candor-x", "the bot's own"),
            ("a/b/c/d/e/f/g/h/i/file", "more than 8 folders"),
            (&long, "longer than 200"),
            (&wide, "too long"),
        ];
        for (path, expected) in cases {
            let refusal = refusal(WorkspacePath::of_file(path));
            assert!(
                refusal.starts_with("This path cannot be used: ") && refusal.contains(expected),
                "{path:?}: {refusal}"
            );
        }
        for folder in ["/", "../", "a//", "a/b/c/d/e/f/g/h/i"] {
            refusal(WorkspacePath::of_folder(folder));
        }
    }
}
