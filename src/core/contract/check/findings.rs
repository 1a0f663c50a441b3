//! Collects the problems of one manifest.

use std::ops::Range;
use std::sync::Arc;

use crate::contract::check::declared_names::Declaration;
use crate::contract::spec::WrittenAt;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, FirstError, Location, Severity, SourceFile};

/// Tables that contain only named tables.
const TABLES_OF_TABLES: [&str; 8] =
    ["commands", "menus", "groups", "subcommands", "options", "settings", "events", "schedules"];

pub(crate) struct Findings {
    file: Arc<SourceFile>,
    path: Arc<str>,
    found: Vec<Found>,
    /// The subcommand being checked, by the header of its table.
    part: Option<Arc<str>>,
    /// Ranges of secrets in the file, which no diagnostic may show.
    hidden: Vec<Range<usize>>,
}

/// A diagnostic, and the subcommand if it concerns only that one.
struct Found {
    diagnostic: Diagnostic,
    part: Option<Arc<str>>,
}

/// A diagnostic that still lacks its message.
#[must_use = "a problem counts only once it is reported"]
pub(crate) struct Problem<'a> {
    findings: &'a mut Findings,
    code: Code,
    place: Location,
}

impl Findings {
    /// Creates findings from the problems found while reading the file.
    pub(crate) fn new(file: Arc<SourceFile>, read: Diagnostics) -> Self {
        let found = read.iter().cloned().map(|diagnostic| Found { diagnostic, part: None }).collect();
        Self { path: file.path.as_str().into(), file, found, part: None, hidden: Vec::new() }
    }

    pub(crate) fn file(&self) -> &Arc<SourceFile> {
        &self.file
    }

    /// Returns the file and line of a span, for problems that are reported later.
    pub(crate) fn written_at(&self, span: &Range<usize>) -> Option<WrittenAt> {
        let line = self.file.position(span.start).line;
        Some(WrittenAt { file: Arc::clone(&self.path), line })
    }

    /// Masks this range in the source lines of all diagnostics.
    pub(crate) fn hide(&mut self, span: &Range<usize>) {
        self.hidden.push(span.clone());
    }

    pub(crate) fn has(&self, code: Code) -> bool {
        self.found.iter().any(|found| found.diagnostic.code == code)
    }

    /// Runs a check in which all problems are assigned to one subcommand, named by the header of its table.
    pub(crate) fn within<T>(&mut self, part: &str, check: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.part.replace(part.into());
        let checked = check(self);
        self.part = around;
        checked
    }

    /// Assigns problems of the manifest reader to one subcommand.
    pub(crate) fn concern(&mut self, part: &str, misread: Range<usize>) {
        let found = self.found.get_mut(misread).into_iter().flatten();
        found.for_each(|found| found.part = Some(part.into()));
    }

    pub(crate) fn error_of(&self, part: &str) -> Option<FirstError> {
        self.errors().find(|found| found.part.as_deref() == Some(part)).map(|found| (&found.diagnostic).into())
    }

    /// Runs a check. Returns its result and the first error that it reported.
    pub(crate) fn watched<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> (T, Option<FirstError>) {
        let before = self.errors().count();
        let checked = check(self);
        (checked, self.errors().nth(before).map(|found| (&found.diagnostic).into()))
    }

    pub(crate) fn is_faulty_at_all(&self) -> bool {
        self.errors().next().is_some()
    }

    /// Returns whether any error concerns more than a single subcommand.
    pub(crate) fn is_faulty_beyond_parts(&self) -> bool {
        self.errors().any(|found| found.part.is_none())
    }

    fn errors(&self) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(|found| found.diagnostic.severity() == Severity::Error)
    }

    /// Starts a problem at this span.
    pub(crate) fn at(&mut self, code: Code, span: &Range<usize>) -> Problem<'_> {
        let place = Location { file: Arc::clone(&self.file), span: span.clone(), label: String::new(), also: None };
        Problem { findings: self, code, place }
    }

    /// Returns whether a header is cut off before or within its name: `[commands` or `[commands."/x]` for
    /// `[commands."/x"]`. The parser then assigns the lines below it to the wrong table.
    fn has_half_a_header(&self) -> bool {
        let diagnostics = self.found.iter().map(|found| &found.diagnostic);
        diagnostics.filter(|diagnostic| diagnostic.code == Code::ManifestSyntax).any(|diagnostic| {
            let before = self.file.text.get(..diagnostic.place.span.start).unwrap_or_default();
            let line = before.rsplit('\n').next().unwrap_or_default().trim();
            let Some(header) = line.strip_prefix('[') else { return false };
            let last = header.rsplit('.').next().unwrap_or_default().trim();
            TABLES_OF_TABLES.contains(&last) || header.matches('"').count() % 2 == 1
        })
    }

    /// Returns all problems in file order. If a header is cut off, only syntax errors are returned, because the others
    /// would mislead.
    pub(crate) fn finish(mut self) -> Diagnostics {
        if self.has_half_a_header() {
            self.found.retain(|found| found.diagnostic.code == Code::ManifestSyntax);
        }
        self.found.sort_by_key(|found| found.diagnostic.place.span.start);
        let mut diagnostics = Diagnostics::default();
        let shown = if self.hidden.is_empty() { self.file } else { Arc::new(self.file.masked(&self.hidden)) };
        for Found { mut diagnostic, .. } in self.found {
            diagnostic.place.file = Arc::clone(&shown);
            diagnostics.push(diagnostic);
        }
        diagnostics
    }
}

impl Problem<'_> {
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.place.label = label.into();
        self
    }

    /// Adds a second place that explains the first.
    pub(crate) fn also(mut self, span: &Range<usize>, label: impl Into<String>) -> Self {
        self.place.also = Some((span.clone(), label.into()));
        self
    }

    /// Adds the first declaration of a name as the second place, if it is in the same manifest.
    pub(crate) fn also_first(self, first: &Declaration) -> Self {
        let is_here = Arc::ptr_eq(&first.file, &self.findings.file);
        if is_here { self.also(&first.span, "the first one") } else { self }
    }

    /// Reports the problem with a message, and a help text on what to type instead.
    pub(crate) fn report(self, message: impl Into<String>, help: impl Into<String>) {
        let Self { findings, code, place } = self;
        let diagnostic = Diagnostic { code, message: message.into(), place, help: help.into() };
        findings.found.push(Found { diagnostic, part: findings.part.clone() });
    }
}
