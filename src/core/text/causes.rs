//! An error as the log shows it: in one line, with everything that caused it.

use std::error::Error;

/// The error's own words, then those of each cause, down to the last.
pub fn with_causes(problem: &dyn Error) -> String {
    let causes = std::iter::successors(problem.source(), |&cause| cause.source());
    causes.fold(problem.to_string(), |text, cause| format!("{text}: {cause}"))
}
