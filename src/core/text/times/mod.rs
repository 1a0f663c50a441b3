//! Times as text and text as times: in UTC, in a time zone, as people write them, and as cron patterns.

mod cron;
mod moment;
mod span;
mod zone;

pub use cron::Cron;
pub use moment::{parse_day, parse_moment};
pub use span::{Misread, Span};
pub use zone::{Zone, is_in_calendar, utc_text};
