//! Untrusted text: compared, shortened, escaped, and read as markdown or JSON; and times as text.

mod causes;
mod code;
mod cut;
mod escape;
mod excerpt;
mod invisible;
mod json;
mod loose;
pub(crate) mod markdown;
mod nearest;
mod one_line;
mod utc;
mod visible;

pub use causes::with_causes;
pub use code::{ends_code_block, in_code_block, in_code_span};
pub use cut::{first_bytes, first_characters, shortened, shortened_with, utf16_length};
pub use escape::escaped;
pub use excerpt::excerpt;
pub use invisible::is_invisible;
pub(crate) use json::first_value;
pub use json::whole_object;
pub(crate) use loose::{Form, loose_value};
pub use markdown::{CodeRules, Segment, SegmentKind, segments};
pub use nearest::nearest;
pub use one_line::one_line;
pub use utc::{is_in_calendar, utc_text};
pub use visible::{visible, visible_line};
