//! Workspaces: a folder of files per community, and the paths valid in it.

use std::fmt;
use std::time::SystemTime;

use async_trait::async_trait;
use unicode_normalization::UnicodeNormalization as _;

use crate::inbound::Place;
use crate::language::{Language, say};
use crate::text::seen;

/// Why a workspace operation failed.
///
/// Not an `Error`, so that `?` in a handler keeps the two audiences apart.
#[derive(Debug)]
pub enum WorkspaceError {
    /// For the caller of a command.
    Refused(WorkspaceRefusal),
    /// For the log.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

/// Why an operation in a handler's own workspace failed: a text for the caller in their language, or an error for the
/// log.
#[derive(Debug)]
pub enum NotDone {
    /// A plain sentence for the caller of the command.
    Told(String),
    /// For the log.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl From<WorkspaceRefusal> for WorkspaceError {
    fn from(refusal: WorkspaceRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<PathProblem> for WorkspaceError {
    fn from(problem: PathProblem) -> Self {
        Self::Refused(problem.into())
    }
}

impl From<std::io::Error> for WorkspaceError {
    fn from(problem: std::io::Error) -> Self {
        Self::Internal(Box::new(problem))
    }
}

/// The workspaces of all communities. The place of a call selects the workspace; text from users never does.
#[async_trait]
pub trait Workspaces: Send + Sync {
    /// Returns the contents of a folder; `None` is the workspace's root.
    async fn list(&self, place: Place, folder: Option<&WorkspacePath>) -> Result<Listing, WorkspaceError>;
    /// Returns the whole content of a file.
    async fn read(&self, place: Place, file: &WorkspacePath) -> Result<Vec<u8>, WorkspaceError>;
    /// Writes a whole file, creating missing parent folders. At every moment the file has either its old or its new
    /// content. With `over`, the file is written only if it still has this content.
    async fn write(
        &self,
        place: Place,
        file: &WorkspacePath,
        content: &[u8],
        over: Option<&[u8]>,
    ) -> Result<Written, WorkspaceError>;
    /// Removes a file, and its parent folders if they become empty. Returns its size in bytes.
    async fn remove(&self, place: Place, file: &WorkspacePath) -> Result<u64, WorkspaceError>;
}

/// The workspace of one community, for one caller. Refusals are in the caller's language.
pub struct OwnWorkspace<'a> {
    workspaces: &'a dyn Workspaces,
    place: Place,
    language: Language,
}

impl<'a> OwnWorkspace<'a> {
    pub(crate) fn new(workspaces: &'a dyn Workspaces, place: Place, language: Language) -> Self {
        Self { workspaces, place, language }
    }

    /// Returns the contents of a folder; `None` is the workspace's root.
    pub async fn list(&self, folder: Option<&str>) -> Result<Listing, NotDone> {
        let folder = folder.map(WorkspacePath::of_folder).transpose().map_err(|problem| self.told(&problem.into()))?;
        self.workspaces.list(self.place, folder.as_ref()).await.map_err(|problem| self.error(problem))
    }

    /// Returns the whole text of a file. A file that is not UTF-8 is refused.
    pub async fn read(&self, path: &str) -> Result<String, NotDone> {
        let (path, content) = self.content(path).await?;
        String::from_utf8(content).map_err(|_| self.told(&WorkspaceRefusal::NoText(path)))
    }

    /// Returns the whole content of a file of any type.
    pub async fn read_bytes(&self, path: &str) -> Result<Vec<u8>, NotDone> {
        self.content(path).await.map(|(_, content)| content)
    }

    /// Writes a whole file. See [`Workspaces::write`].
    pub async fn write(&self, path: &str, content: impl AsRef<[u8]> + Send) -> Result<Written, NotDone> {
        let written = self.workspaces.write(self.place, &self.file(path)?, content.as_ref(), None).await;
        written.map_err(|problem| self.error(problem))
    }

    /// Writes a whole file if it still has the content `old`. Otherwise it is refused, so that a concurrent change is
    /// not lost.
    pub async fn rewrite(
        &self,
        path: &str,
        old: impl AsRef<[u8]> + Send,
        content: impl AsRef<[u8]> + Send,
    ) -> Result<Written, NotDone> {
        let path = self.file(path)?;
        let old = Some(old.as_ref());
        let written = self.workspaces.write(self.place, &path, content.as_ref(), old).await;
        written.map_err(|problem| self.error(problem))
    }

    /// Removes a file. See [`Workspaces::remove`].
    pub async fn remove(&self, path: &str) -> Result<u64, NotDone> {
        let removed = self.workspaces.remove(self.place, &self.file(path)?).await;
        removed.map_err(|problem| self.error(problem))
    }

    /// Parses the path of a file, without checking that it exists.
    pub fn file(&self, path: &str) -> Result<WorkspacePath, NotDone> {
        WorkspacePath::of_file(path).map_err(|problem| self.told(&problem.into()))
    }

    async fn content(&self, path: &str) -> Result<(WorkspacePath, Vec<u8>), NotDone> {
        let path = self.file(path)?;
        let content = self.workspaces.read(self.place, &path).await.map_err(|problem| self.error(problem))?;
        Ok((path, content))
    }

    fn error(&self, problem: WorkspaceError) -> NotDone {
        match problem {
            WorkspaceError::Refused(refusal) => self.told(&refusal),
            WorkspaceError::Internal(problem) => NotDone::Internal(problem),
        }
    }

    fn told(&self, refusal: &WorkspaceRefusal) -> NotDone {
        NotDone::Told(refusal.told(self.language))
    }
}

/// The contents of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The entries, by name.
    pub entries: Vec<FileEntry>,
    /// False if entries are left out: links, names that no path may contain, or too many entries.
    pub is_whole: bool,
}

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// The name. Untrusted, but valid as a part of a [`WorkspacePath`].
    pub name: String,
    /// The size in bytes; `None` for a folder.
    pub size: Option<u64>,
    /// When it was last changed, if known.
    pub modified: Option<SystemTime>,
}

/// The effect of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The file is new.
    Created,
    /// The file existed.
    Replaced,
}

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
    fn told(self, language: Language) -> String {
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

/// The largest size of a file, in bytes.
pub const FILE_SIZE_MAX: u64 = 256 * 1024;
/// The most files in one workspace.
pub const FILES_MAX: usize = 200;
/// The largest total size of a workspace, in bytes.
pub const WORKSPACE_SIZE_MAX: u64 = 16 * 1024 * 1024;

/// Why a workspace operation was refused. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkspaceRefusal {
    /// The text is not a valid path.
    Path(PathProblem),
    /// There is no such file.
    NoFile(WorkspacePath),
    /// There is no such folder.
    NoFolder(WorkspacePath),
    /// It is a folder, and a file is needed.
    IsFolder(WorkspacePath),
    /// It is neither a file nor a folder.
    NotFile(WorkspacePath),
    /// This part of the path is not a folder.
    NotThrough(WorkspacePath, String),
    /// It is a link, or leads through one.
    Link(WorkspacePath),
    /// The file is larger than [`FILE_SIZE_MAX`] and is not read.
    TooLarge(WorkspacePath),
    /// The file is not UTF-8 text.
    NoText(WorkspacePath),
    /// The file differs from the content that the caller was shown.
    Changed(WorkspacePath),
    /// The new content is longer than [`FILE_SIZE_MAX`].
    ContentTooLarge,
    /// The workspace has [`FILES_MAX`] files.
    TooManyFiles,
    /// The workspace's files together would exceed [`WORKSPACE_SIZE_MAX`].
    Full,
    /// All workspaces together would exceed this size, in bytes.
    AllFull(u64),
}

impl WorkspaceRefusal {
    /// Returns a plain sentence for the caller of a command.
    pub fn told(&self, language: Language) -> String {
        const KIB: u64 = 1024;
        const MIB: u64 = 1024 * KIB;
        let path = |path: &WorkspacePath| path.to_string();
        match self {
            Self::Path(problem) => say!(language, "workspace-path", problem = problem.told(language)),
            Self::NoFile(file) => say!(language, "workspace-no-file", path = path(file)),
            Self::NoFolder(folder) => say!(language, "workspace-no-folder", path = path(folder)),
            Self::IsFolder(folder) => say!(language, "workspace-is-folder", path = path(folder)),
            Self::NotFile(file) => say!(language, "workspace-not-file", path = path(file)),
            Self::NotThrough(file, name) => {
                say!(language, "workspace-not-through", path = path(file), name = name.as_str())
            }
            Self::Link(file) => say!(language, "workspace-link", path = path(file)),
            Self::TooLarge(file) => {
                say!(language, "workspace-too-large", path = path(file), kib = FILE_SIZE_MAX / KIB)
            }
            Self::NoText(file) => say!(language, "workspace-no-text", path = path(file)),
            Self::Changed(file) => say!(language, "workspace-changed", path = path(file)),
            Self::ContentTooLarge => say!(language, "workspace-content-too-large", kib = FILE_SIZE_MAX / KIB),
            Self::TooManyFiles => say!(language, "workspace-too-many-files", max = FILES_MAX),
            Self::Full => say!(language, "workspace-full", mib = WORKSPACE_SIZE_MAX / MIB),
            Self::AllFull(max) => say!(language, "workspace-all-full", mib = max / MIB),
        }
    }
}

impl From<PathProblem> for WorkspaceRefusal {
    fn from(problem: PathProblem) -> Self {
        Self::Path(problem)
    }
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
