//! The types of a diagnostic: code, message, source position and help.
//!
//! Checks return diagnostics and never print them; see `full` and `json` for the renderers.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::code::Code;
use crate::diagnostic::severity::Severity;

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The broken rule. Its name is stable and is the name of its fixture.
    pub code: Code,
    /// One lower-case phrase with names in backticks and no full stop.
    pub message: String,
    /// Where it is.
    pub place: Location,
    /// What to type instead.
    pub help: String,
}

impl Diagnostic {
    /// The severity of its code.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// Where a problem is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file.
    pub file: Arc<SourceFile>,
    /// The offending text as a byte range of the file's text. `0..0` for the file as a whole.
    pub span: Range<usize>,
    /// The label shown beside the underlined text. May be empty.
    pub label: String,
    /// A second place in the same file that explains the first, with its own label.
    pub also: Option<(Range<usize>, String)>,
}

impl Location {
    /// Whether the problem concerns the file as a whole, or there is no text to point at.
    pub fn is_whole_file(&self) -> bool {
        self.span == (0..0) || self.file.text.is_empty()
    }
}

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path as the operator would type it.
    pub path: String,
    /// The whole text. Empty if it could not be read.
    pub text: String,
}

impl SourceFile {
    /// Line and column of a byte offset, both counted from 1, columns in characters.
    pub fn position(&self, offset: usize) -> Position {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Position { line, column }
    }

    /// The same file with each byte of these ranges as an asterisk: a problem shows whole lines, and one may have a
    /// secret in it. Line breaks stay, so that positions stay valid.
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
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// All problems that a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Adds all diagnostics of another check.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// All diagnostics, in the order found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// The number of diagnostics with this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|diagnostic| diagnostic.severity() == severity).count()
    }

    /// Whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        0 < self.count(Severity::Error)
    }
}
