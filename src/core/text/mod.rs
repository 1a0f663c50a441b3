//! Text utilities: invisible characters, near names, shortening, and making untrusted text harmless.

mod causes;
mod cut;
mod escape;
mod excerpt;
mod invisible;
mod json;
pub(crate) mod markdown;
mod nearest;
mod one_line;
mod visible;
mod visible_line;

pub use causes::with_causes;
pub use cut::{first_bytes, shortened, utf16_length};
pub use escape::escaped;
pub use excerpt::excerpt;
pub use invisible::is_invisible;
pub(crate) use json::first_value;
pub use json::whole_object;
pub use markdown::{CodeRules, Segment, SegmentKind, segments};
pub use nearest::nearest;
pub use one_line::one_line;
pub use visible::visible;
pub use visible_line::visible_line;
