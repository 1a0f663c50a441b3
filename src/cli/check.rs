//! `candor check`: what a start would find, and nothing else.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use serde_json::json;

use crate::app::{Exit, Failure, examine};
use crate::diagnostic::{Severity, full, json as as_json};

/// Prints every problem and says whether a start would succeed.
pub(super) fn check(config: Option<&Path>, json: bool) -> Result<Exit, Failure> {
    let examined = examine(config);
    let diagnostics = &examined.diagnostics;
    let unreachable = &examined.reach.unreachable;
    let mut out = std::io::stdout().lock();
    let written = if json {
        let report = json!({
            "diagnostics": as_json::render(diagnostics),
            "errors": diagnostics.count(Severity::Error),
            "warnings": diagnostics.count(Severity::Warning),
            "modules": examined.n_modules,
            "registered": examined.reach.registered,
            "reachable": examined.reach.reachable,
        });
        writeln!(out, "{report:#}")
    } else {
        let mut text = full::render(diagnostics, std::io::stdout().is_terminal());
        for (path, why) in unreachable {
            text.push_str(&format!("error: `{path}` is registered but cannot be reached: {why}\n"));
        }
        let reach = &examined.reach;
        writeln!(
            out,
            "{text}{}; registered {}, reachable {}",
            full::summary(diagnostics, examined.n_modules),
            reach.registered,
            reach.reachable
        )
    };
    written.map_err(|problem| Failure::unavailable(format!("cannot write the report: {problem}")))?;
    let clean = !diagnostics.has_errors() && unreachable.is_empty();
    Ok(if clean { Exit::Fine } else { Exit::Config })
}
