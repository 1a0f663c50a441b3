//! A part of a text.

use std::ops::Range;

/// A part of a text, in bytes.
pub(super) type Span = Range<usize>;
