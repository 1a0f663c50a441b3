//! Untrusted text: comparing, shortening, escaping, and reading as markdown or JSON. Also times as text.

mod cut;
mod json;
mod markdown;
mod names;
mod seen;
mod times;
mod visible;
mod words;

pub(crate) use cut::last_bytes;
pub use cut::{
    excerpt, first_bytes, first_characters, first_utf16, no_connection, one_line, shortened, shortened_with,
    utf16_length, with_causes,
};
pub(crate) use json::{Form, first_value, loose_arguments, loose_marked_value, loose_value};
pub use json::{whole_object, without_leading_json};
pub(crate) use markdown::fences;
pub use markdown::{
    CodeRules, Segment, SegmentKind, ends_code_block, ends_in_code_block, escaped, in_code_block, in_code_span,
    in_code_spans, segments,
};
pub use names::names;
pub use seen::{is_invisible, seen, without_hidden};
pub use times::{Cron, Misread, Span, Zone, is_in_calendar, parse_day, parse_moment, utc_text};
pub(crate) use visible::skeleton;
pub use visible::{first_control, printable, visible, visible_line};
pub(crate) use words::words;
pub use words::{holds_words, nearest};
