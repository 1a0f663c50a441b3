//! Collects the problems of one manifest.

use std::ops::Range;
use std::sync::Arc;

use crate::contract::check::declared_names::Declaration;
use crate::contract::spec::WrittenAt;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, FirstError, Location, Severity, SourceFile};

/// The tables that hold nothing but tables with names.
const TABLES_OF_TABLES: [&str; 8] =
    ["commands", "menus", "groups", "subcommands", "options", "settings", "events", "schedules"];

/// The problems of one manifest.
pub(crate) struct Findings {
    file: Arc<SourceFile>,
    path: Arc<str>,
    found: Vec<Found>,
    /// The subcommand that is being checked, by the header of its table.
    part: Option<Arc<str>>,
    /// Secrets in the file, which no problem may show.
    hidden: Vec<Range<usize>>,
}

/// A problem, and the subcommand that alone it concerns.
struct Found {
    diagnostic: Diagnostic,
    part: Option<Arc<str>>,
}

/// A problem under construction; its message is still missing.
#[must_use = "a problem counts only once it is reported"]
pub(crate) struct Problem<'a> {
    findings: &'a mut Findings,
    code: Code,
    place: Location,
}

impl Findings {
    /// Starts with the problems found while reading the file.
    pub(crate) fn new(file: Arc<SourceFile>, read: Diagnostics) -> Self {
        let found = read.iter().cloned().map(|diagnostic| Found { diagnostic, part: None }).collect();
        Self { path: file.path.as_str().into(), file, found, part: None, hidden: Vec::new() }
    }

    /// The manifest.
    pub(crate) fn file(&self) -> &Arc<SourceFile> {
        &self.file
    }

    /// The file and line of a span, for problems that are reported later.
    pub(crate) fn written_at(&self, span: &Range<usize>) -> Option<WrittenAt> {
        let line = self.file.position(span.start).line;
        Some(WrittenAt { file: Arc::clone(&self.path), line })
    }

    /// Keeps what stands here out of every problem that shows its line.
    pub(crate) fn hide(&mut self, span: &Range<usize>) {
        self.hidden.push(span.clone());
    }

    /// Whether this rule is already broken.
    pub(crate) fn has(&self, code: Code) -> bool {
        self.found.iter().any(|found| found.diagnostic.code == code)
    }

    /// Checks a subcommand, named by the header of its table: what is reported meanwhile concerns it alone.
    pub(crate) fn within<T>(&mut self, part: &str, check: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.part.replace(part.into());
        let checked = check(self);
        self.part = around;
        checked
    }

    /// Has these problems of reading concern this subcommand alone.
    pub(crate) fn concern(&mut self, part: &str, misread: Range<usize>) {
        let found = self.found.get_mut(misread).into_iter().flatten();
        found.for_each(|found| found.part = Some(part.into()));
    }

    /// The first error of this subcommand.
    pub(crate) fn error_of(&self, part: &str) -> Option<FirstError> {
        self.errors().find(|found| found.part.as_deref() == Some(part)).map(|found| (&found.diagnostic).into())
    }

    /// Runs a check, and returns the first error that it reported beside what it returned.
    pub(crate) fn watched<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> (T, Option<FirstError>) {
        let before = self.errors().count();
        let checked = check(self);
        (checked, self.errors().nth(before).map(|found| (&found.diagnostic).into()))
    }

    /// Whether something is wrong with the module or a part of it.
    pub(crate) fn is_faulty_at_all(&self) -> bool {
        self.errors().next().is_some()
    }

    /// Whether something is wrong with more than single subcommands.
    pub(crate) fn is_faulty_beyond_parts(&self) -> bool {
        self.errors().any(|found| found.part.is_none())
    }

    fn errors(&self) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(|found| found.diagnostic.severity() == Severity::Error)
    }

    /// Starts a problem: a rule broken at this span.
    pub(crate) fn at(&mut self, code: Code, span: &Range<usize>) -> Problem<'_> {
        let place = Location { file: Arc::clone(&self.file), span: span.clone(), label: String::new(), also: None };
        Problem { findings: self, code, place }
    }

    /// Whether a header ends before the name of what it is about, or within it: `[commands` or `[commands."/x]` for
    /// `[commands."/x"]`. What stands below it, or belongs to it, is then read as something else than it is.
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

    /// All problems, ordered by their position in the file.
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
    /// Sets the label shown beside the underlined text.
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

    /// Reports the problem: what is wrong, and what to type instead.
    pub(crate) fn report(self, message: impl Into<String>, help: impl Into<String>) {
        let Self { findings, code, place } = self;
        let diagnostic = Diagnostic { code, message: message.into(), place, help: help.into() };
        findings.found.push(Found { diagnostic, part: findings.part.clone() });
    }
}
