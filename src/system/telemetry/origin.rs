//! Finds the part of a program that a line or a span comes from.

use tracing::Metadata;

/// Returns whether it comes from this part of a program, or from within it.
pub(super) fn is_of(metadata: &Metadata<'_>, part: &str) -> bool {
    metadata.target().strip_prefix(part).is_some_and(|within| within.is_empty() || within.starts_with("::"))
}

/// The bot's crates are `candor` and `candor_…`.
pub(super) fn is_span_of_bot(metadata: &Metadata<'_>) -> bool {
    let krate = metadata.target().split("::").next().unwrap_or_default();
    metadata.is_span() && (krate == "candor" || krate.starts_with("candor_"))
}
