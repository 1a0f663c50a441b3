//! The types of a diagnostic: code, message, source position and help.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::code::{Code, Severity};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    /// One lower-case phrase with names in backticks and no full stop.
    pub message: String,
    pub place: Location,
    /// The text to type instead.
    pub help: String,
}

impl Diagnostic {
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// The first error of a command or module that failed the check, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstError {
    pub code: Code,
    pub file: String,
    pub at: Position,
    pub help: String,
}

impl From<&Diagnostic> for FirstError {
    fn from(Diagnostic { code, place, help, .. }: &Diagnostic) -> Self {
        let file = place.file.path.clone();
        let at = place.file.position(place.span.start);
        Self { code: *code, file, at, help: help.clone() }
    }
}

impl fmt::Display for FirstError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}:{}", self.code.name(), self.file, self.at.line)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub file: Arc<SourceFile>,
    /// The offending text as a byte range of the file's text. `0..0` for the file as a whole.
    pub span: Range<usize>,
    /// The label shown beside the underlined text. May be empty.
    pub label: String,
    /// A second place in the same file that explains the first, with its own label.
    pub also: Option<(Range<usize>, String)>,
}

impl Location {
    /// Returns whether the problem concerns the file as a whole, or has no text to point at.
    pub fn is_whole_file(&self) -> bool {
        self.span == (0..0) || self.file.text.is_empty()
    }
}

/// A source file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path as the operator would type it.
    pub path: String,
    /// The whole text. Empty if it could not be read.
    pub text: String,
}

impl SourceFile {
    /// Returns the line and column of a byte offset, both counted from 1, columns in characters.
    pub fn position(&self, offset: usize) -> Position {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Position { line, column }
    }

    /// Returns the same file with each byte of these ranges replaced by an asterisk. A rendered problem shows whole
    /// lines, and one may hold a secret. Line breaks stay, so positions stay valid.
    #[must_use]
    pub fn masked(&self, hidden: &[Range<usize>]) -> Self {
        let mut text = String::with_capacity(self.text.len());
        for (at, c) in self.text.char_indices() {
            if !matches!(c, '\n' | '\r') && hidden.iter().any(|range| range.contains(&at)) {
                text.extend(std::iter::repeat_n('*', c.len_utf8()));
            } else {
                text.push(c);
            }
        }
        Self { path: self.path.clone(), text }
    }
}

/// A position in a text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
    are_tolerated: bool,
}

impl Diagnostics {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    pub fn append(&mut self, mut other: Self) {
        self.found.append(&mut other.found);
    }

    /// Iterates in the order found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.found.iter()
    }

    /// Returns the new warnings, then all errors: a terminal shows its last lines first.
    #[must_use]
    pub fn errors_last(&self, is_known: impl Fn(&Diagnostic) -> bool) -> Self {
        let (errors, warnings): (Vec<_>, Vec<_>) =
            self.found.iter().cloned().partition(|problem| problem.severity() == Severity::Error);
        let warnings = warnings.into_iter().filter(|warning| !is_known(warning));
        Self { found: warnings.chain(errors).collect(), ..*self }
    }

    /// Downgrades all errors to warnings: the bot starts in spite of them.
    #[must_use]
    pub fn tolerated(self) -> Self {
        Self { are_tolerated: true, ..self }
    }

    /// Returns the severity of one diagnostic: always a warning after `tolerated`.
    pub fn severity(&self, diagnostic: &Diagnostic) -> Severity {
        if self.are_tolerated { Severity::Warning } else { diagnostic.severity() }
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|diagnostic| self.severity(diagnostic) == severity).count()
    }

    pub fn first_error(&self) -> Option<&Diagnostic> {
        self.found.iter().find(|diagnostic| self.severity(diagnostic) == Severity::Error)
    }

    pub fn has_errors(&self) -> bool {
        self.first_error().is_some()
    }
}
