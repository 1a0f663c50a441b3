//! The time at which a metrics file was written, stated by its producer or taken from the file's modification time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{Good, Observation, Presentation};
use crate::reply::CLOCK_SKEW_MAX;
use crate::text::is_in_calendar;

/// Larger numbers are milliseconds. As seconds they would be after the year 5000.
const MILLISECONDS_FROM: f64 = 1e11;

/// The time at which the metrics were written, and its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenMetrics {
    /// The time of writing.
    pub at: SystemTime,
    /// The source of the time.
    pub by: WrittenBy,
}

/// The source of the time at which metrics were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenBy {
    /// The producer, in the file.
    Producer,
    /// The file system, because the producer states no time.
    File,
    /// The file system, because the producer's time cannot be read.
    FileForUnreadable,
}

/// Returns when a content was written: the producer's time if stated, else the file's modification time.
pub fn written_metrics(good: &Good<Map<String, Value>>, presentation: &Presentation) -> WrittenMetrics {
    match good.value.get(&presentation.generated_at) {
        None => WrittenMetrics { at: good.modified, by: WrittenBy::File },
        Some(value) => match time_of(value) {
            Some(at) => WrittenMetrics { at, by: WrittenBy::Producer },
            None => WrittenMetrics { at: good.modified, by: WrittenBy::FileForUnreadable },
        },
    }
}

/// Returns the content if it is current: not stale, not from the future, and the file has no problem.
pub fn fresh_metrics<'a>(
    observation: &'a Observation<Map<String, Value>>,
    presentation: &Presentation,
    now: SystemTime,
) -> Option<&'a Map<String, Value>> {
    let good = observation.good.as_ref().filter(|_| observation.trouble.is_none())?;
    let at = written_metrics(good, presentation).at;
    let fresh = match now.duration_since(at) {
        Ok(age) => age <= presentation.stale_after,
        Err(ahead) => ahead.duration() <= CLOCK_SKEW_MAX,
    };
    fresh.then_some(&*good.value)
}

/// Parses RFC 3339 text, or seconds or milliseconds since 1970.
fn time_of(value: &Value) -> Option<SystemTime> {
    match value {
        Value::String(text) => {
            let at = OffsetDateTime::parse(text.trim(), &Rfc3339).ok().map(SystemTime::from)?;
            is_in_calendar(at).then_some(at)
        }
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| (1.0..1e14).contains(number))?;
            let seconds = if number < MILLISECONDS_FROM { number } else { number / 1_000.0 };
            UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(seconds).ok()?)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
