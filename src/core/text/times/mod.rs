//! Times as text and text as times: in UTC, in a time zone, and as a pattern of cron.

mod cron;
mod utc;
mod zone;

pub use cron::Cron;
pub use utc::{is_in_calendar, utc_text};
pub use zone::Zone;
