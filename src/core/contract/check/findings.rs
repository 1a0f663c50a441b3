//! Collects the problems of one manifest.

use std::ops::Range;
use std::sync::Arc;

use crate::contract::check::declared_names::Declaration;
use crate::contract::spec::WrittenAt;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Location, SourceFile};

/// The tables that hold nothing but tables with names.
const TABLES_OF_TABLES: [&str; 6] = ["commands", "menus", "groups", "subcommands", "options", "settings"];

/// The problems of one manifest.
pub(crate) struct Findings {
    file: Arc<SourceFile>,
    path: Arc<str>,
    found: Vec<Diagnostic>,
    /// Secrets in the file, which no problem may show.
    hidden: Vec<Range<usize>>,
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
        Self { path: file.path.as_str().into(), file, found: read.iter().cloned().collect(), hidden: Vec::new() }
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
        self.found.iter().any(|diagnostic| diagnostic.code == code)
    }

    /// Starts a problem: a rule broken at this span.
    pub(crate) fn at(&mut self, code: Code, span: &Range<usize>) -> Problem<'_> {
        let place = Location { file: Arc::clone(&self.file), span: span.clone(), label: String::new(), also: None };
        Problem { findings: self, code, place }
    }

    /// Whether a header ends before the name of what it is about, or within it: `[commands` or `[commands."/x]` for
    /// `[commands."/x"]`. What stands below it, or belongs to it, is then read as something else than it is.
    fn has_half_a_header(&self) -> bool {
        self.found.iter().filter(|diagnostic| diagnostic.code == Code::ManifestSyntax).any(|diagnostic| {
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
            self.found.retain(|diagnostic| diagnostic.code == Code::ManifestSyntax);
        }
        self.found.sort_by_key(|diagnostic| diagnostic.place.span.start);
        let mut diagnostics = Diagnostics::default();
        let shown = if self.hidden.is_empty() { self.file } else { Arc::new(self.file.masked(&self.hidden)) };
        for mut diagnostic in self.found {
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
        findings.found.push(Diagnostic { code, message: message.into(), place, help: help.into() });
    }
}
