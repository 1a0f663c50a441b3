//! How a detail of a reply is compared.

use crate::agent::honesty::grounding::figure::Figure;
use crate::agent::honesty::grounding::moment::Moment;

/// How a detail is compared.
pub(super) enum Kind {
    /// An address, a path, a handle, a version: in lower case.
    Exact(String),
    /// A date or a time.
    Moment(Moment),
    /// A figure.
    Figure(Figure),
    /// A name of several words, in lower case.
    Name(Vec<String>),
}
