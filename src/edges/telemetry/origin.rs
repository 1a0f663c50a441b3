//! Which part of a program a line or a span comes from.

use tracing::Metadata;

/// Whether it comes from this part of a program, or from within it.
pub(super) fn is_of(metadata: &Metadata<'_>, part: &str) -> bool {
    metadata.target().strip_prefix(part).is_some_and(|within| within.is_empty() || within.starts_with("::"))
}

/// Whether it is a span that the bot itself makes.
pub(super) fn is_span_of_bot(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && is_of(metadata, "candor")
}
