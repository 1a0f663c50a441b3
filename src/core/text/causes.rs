//! Formats an error for the log: on one line, with all its causes.

use std::error::Error;

/// The error's message, followed by that of each cause.
pub fn with_causes(problem: &dyn Error) -> String {
    let causes = std::iter::successors(problem.source(), |&cause| cause.source());
    causes.fold(problem.to_string(), |text, cause| format!("{text}: {cause}"))
}
