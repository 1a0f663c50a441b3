//! Discord's markdown: finds code in a text, and makes untrusted text harmless.

mod code;
mod escape;
mod segments;

pub use code::{ends_code_block, ends_in_code_block, in_code_block, in_code_span, in_code_spans};
pub use escape::escaped;
pub(crate) use segments::fences;
pub use segments::{CodeRules, Segment, SegmentKind, segments};
