//! Renders diagnostics as JSON.

use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, Diagnostics, Severity};

/// Renders all diagnostics as a JSON array. Lines and columns count from 1, columns in characters; the end is
/// exclusive. A problem of a whole file is at 1:1 and has no text.
pub fn render(diagnostics: &Diagnostics) -> Value {
    diagnostics.iter().map(|diagnostic| object(diagnostic, diagnostics.severity(diagnostic))).collect()
}

fn object(diagnostic: &Diagnostic, severity: Severity) -> Value {
    let place = &diagnostic.place;
    let start = place.file.position(place.span.start);
    let end = place.file.position(place.span.end);
    json!({
        "code": diagnostic.code.name(),
        "severity": severity.name(),
        "message": diagnostic.message,
        "file": place.file.path,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "text": place.file.text.get(place.span.clone()).unwrap_or_default(),
        "help": diagnostic.help,
    })
}
