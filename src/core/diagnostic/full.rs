//! Renders diagnostics for a terminal.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Diagnostics, Severity};

/// Renders all diagnostics, each with its source text underlined and followed by an empty line.
pub fn render(diagnostics: &Diagnostics, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    diagnostics
        .iter()
        .map(|diagnostic| renderer.render(&[group(diagnostic, diagnostics.severity(diagnostic))]) + "\n\n")
        .collect()
}

/// Returns the closing line: `1 error, 0 warnings in 3 modules`. `n_others` counts errors found outside of the modules.
pub fn summary(diagnostics: &Diagnostics, n_others: usize, n_modules: usize) -> String {
    let errors = counted(diagnostics.count(Severity::Error) + n_others, "error");
    let warnings = counted(diagnostics.count(Severity::Warning), "warning");
    format!("{errors}, {warnings} in {}", counted(n_modules, "module"))
}

fn group(diagnostic: &Diagnostic, severity: Severity) -> Group<'_> {
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&diagnostic.message).id(diagnostic.code.name());
    let place = &diagnostic.place;
    let group = if place.is_whole_file() {
        title.element(Origin::path(&place.file.path))
    } else {
        let also = place.also.iter().map(|(span, label)| AnnotationKind::Context.span(span.clone()).label(label));
        title.element(
            Snippet::source(&place.file.text)
                .path(&place.file.path)
                .annotation(AnnotationKind::Primary.span(place.span.clone()).label(label(&place.label)))
                .annotations(also),
        )
    };
    group.element(Level::HELP.message(&diagnostic.help))
}

fn label(label: &str) -> Option<&str> {
    (!label.is_empty()).then_some(label)
}

fn counted(n: usize, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{render, summary};
    use crate::diagnostic::{Code, Diagnostic, Diagnostics, Location, SourceFile};

    fn diagnostics(text: &str, span: std::ops::Range<usize>, also: Option<std::ops::Range<usize>>) -> Diagnostics {
        let file = Arc::new(SourceFile { path: "modules/weather/module.toml".to_owned(), text: text.to_owned() });
        let also = also.map(|span| (span, "the other".to_owned()));
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(Diagnostic {
            code: Code::CommandMissingSlash,
            message: "command `status` does not start with a slash".to_owned(),
            place: Location { file, span, label: "this key would never match".to_owned(), also },
            help: "write `[commands.\"/status\"]`".to_owned(),
        });
        diagnostics
    }

    #[test]
    fn the_offending_text_is_underlined() {
        let shown = render(&diagnostics("\n[commands.status]\n", 11..17, None), false);
        let expected = [
            "error[command-missing-slash]: command `status` does not start with a slash",
            " --> modules/weather/module.toml:2:11",
            "  |",
            "2 | [commands.status]",
            "  |           ^^^^^^ this key would never match",
            "  |",
            "  = help: write `[commands.\"/status\"]`",
        ];
        assert_eq!(shown, expected.join("\n") + "\n\n");
    }

    #[test]
    fn a_second_place_is_underlined_too() {
        let shown = render(&diagnostics("[commands.status]\n[commands.\"/status\"]\n", 10..16, Some(28..37)), false);
        assert!(shown.contains("^^^^^^ this key would never match"), "{shown}");
        assert!(shown.contains("--------- the other"), "{shown}");
    }

    #[test]
    fn a_file_without_text_is_named_without_a_snippet() {
        let shown = render(&diagnostics("", 0..0, None), false);
        let expected = [
            "error[command-missing-slash]: command `status` does not start with a slash",
            "--> modules/weather/module.toml",
            " = help: write `[commands.\"/status\"]`",
        ];
        assert_eq!(shown, expected.join("\n") + "\n\n");
    }

    #[test]
    fn color_is_added_only_where_it_is_asked_for() {
        let diagnostics = diagnostics("[commands.status]", 10..16, None);
        assert!(!render(&diagnostics, false).contains('\u{1b}'));
        assert!(render(&diagnostics, true).contains('\u{1b}'));
    }

    #[test]
    fn the_summary_counts_in_words() {
        assert_eq!(summary(&Diagnostics::default(), 0, 1), "0 errors, 0 warnings in 1 module");
        assert_eq!(summary(&diagnostics("x", 0..1, None), 0, 3), "1 error, 0 warnings in 3 modules");
        assert_eq!(summary(&diagnostics("x", 0..1, None), 2, 3), "3 errors, 0 warnings in 3 modules");
    }
}
