//! The live metrics: the watched file, when it was written, and past samples of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::contract::services::service::ServiceError;
use crate::reply::CLOCK_SKEW_MAX;
use crate::text::is_in_calendar;

/// A top-level entry that marks a metrics file as the bot's own. It is not a metric. The bot never replaces a file of
/// another producer.
pub const OWN_METRICS: (&str, &str) = ("producer", "candor");

/// Access to the live metrics file.
pub trait Live: Send + Sync {
    /// Returns the current state of the file. Never waits and never touches the disk.
    fn observe(&self) -> Observation<Map<String, Value>>;
    /// Returns how the operator wants the metrics shown.
    fn presentation(&self) -> &Presentation;
}

/// The last good content of a watched file, and the file's current problem. Both may be present: the last good content
/// is kept while the file is broken. Both are absent until the file is read for the first time.
#[derive(Debug, PartialEq)]
pub struct Observation<T> {
    /// The path as the operator wrote it.
    pub path: String,
    /// The last complete and valid content.
    pub good: Option<Good<T>>,
    /// Why the current file differs from that content.
    pub trouble: Option<FileTrouble>,
}

/// A complete and valid content of a watched file.
#[derive(Debug, PartialEq)]
pub struct Good<T> {
    /// The content.
    pub value: Arc<T>,
    /// The file's modification time when the content was read.
    pub modified: SystemTime,
}

// A derived `Clone` would require `T: Clone`, but the content is shared.
impl<T> Clone for Observation<T> {
    fn clone(&self) -> Self {
        Self { path: self.path.clone(), good: self.good.clone(), trouble: self.trouble.clone() }
    }
}

impl<T> Clone for Good<T> {
    fn clone(&self) -> Self {
        Self { value: Arc::clone(&self.value), modified: self.modified }
    }
}

/// The current problem of a watched file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileTrouble {
    /// The file does not exist.
    Missing {
        /// When it went missing.
        since: SystemTime,
    },
    /// The file cannot be read or its content is invalid.
    Invalid {
        /// When it became invalid.
        since: SystemTime,
        /// The problem, with line and column if known.
        problem: String,
    },
}

/// How live metrics are shown: `[status]` in the settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Presentation {
    /// The top-level key of the producer's time: RFC 3339 text, or seconds or milliseconds since 1970.
    pub generated_at: String,
    /// Metrics older than this are stale.
    pub stale_after: Duration,
    /// Settings per metric, by key, dotted for groups (`memory.used_bytes`).
    pub metrics: BTreeMap<String, Metric>,
}

/// How one metric is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metric {
    /// The name shown; derived from the key if absent.
    pub label: Option<String>,
    /// `%`, `bytes`, `bytes/s`, `seconds`, or any text to put after the number.
    pub unit: Option<String>,
    /// The thresholds drawn in its chart, from low to high.
    pub thresholds: Vec<f64>,
}

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

/// The most metrics sampled, in file order.
const METRICS_MAX: usize = 64;

/// In characters. Longer keys are not sampled: the operator can give the metric a shorter name.
const KEY_LENGTH_MAX: usize = 100;

/// Deeper groups are not read.
const DEPTH_MAX: usize = 8;

/// Returns the first 64 numbers in file order. Booleans, texts, lists and the time of writing are skipped.
pub fn metric_figures(content: &Map<String, Value>, presentation: &Presentation) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for (key, value) in content.iter().filter(|(key, _)| **key != presentation.generated_at) {
        collect(key.clone(), value, 1, &mut found);
    }
    found
}

fn collect(key: String, value: &Value, depth: usize, found: &mut Vec<(String, f64)>) {
    match value {
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| number.is_finite());
            if let Some(number) = number
                && found.len() < METRICS_MAX
                && key.chars().count() <= KEY_LENGTH_MAX
            {
                found.push((key, number));
            }
        }
        Value::Object(group) if depth < DEPTH_MAX => {
            for (name, value) in group {
                collect(format!("{key}.{name}"), value, depth + 1, found);
            }
        }
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) => {}
    }
}

/// The metrics file over time.
#[async_trait]
pub trait History: Send + Sync {
    /// Returns the samples of this period, at most 7 days back.
    async fn between(&self, from: SystemTime, until: SystemTime) -> Result<Past, ServiceError>;
}

/// The samples of a period.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// Every metric with a numeric value, in the order of their first samples.
    pub metrics: Vec<PastMetric>,
    /// Periods in which the file was stale, missing or unusable: begin and end, in order.
    pub stale: Vec<(SystemTime, SystemTime)>,
    /// If two samples are further apart than this, the values between them are unknown.
    pub gap: Duration,
}

/// One metric over time.
#[derive(Clone, Debug, PartialEq)]
pub struct PastMetric {
    /// Its key, dotted for groups: `memory.used_bytes`.
    pub key: String,
    /// In order of time, few enough to draw.
    pub points: Vec<Point>,
    /// The last sample, not averaged.
    pub last: f64,
}

/// The samples of a short period, combined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The middle of the period.
    pub at: SystemTime,
    /// The mean.
    pub mean: f64,
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn sampled(content: Value) -> Vec<(String, f64)> {
        let generated_at = "generated_at".to_owned();
        let presentation =
            Presentation { generated_at, stale_after: Duration::from_secs(60), metrics: BTreeMap::new() };
        metric_figures(content.as_object().unwrap(), &presentation)
    }

    #[test]
    fn numbers_are_sampled_by_their_dotted_keys_in_the_order_of_the_file() {
        let content = json!({
            "generated_at": 1_700_000_000, "producer": "candor",
            "cpu": { "usage_percent": 12.5, "cores": 2, "throttled": false },
            "queue": { "mail": { "waiting": -3 } }, "version": "1.4", "list": [1, 2], "nothing": null,
            "uptime_seconds": 60,
        });
        let found = sampled(content);
        let expected =
            [("cpu.usage_percent", 12.5), ("cpu.cores", 2.0), ("queue.mail.waiting", -3.0), ("uptime_seconds", 60.0)];
        assert_eq!(found, expected.map(|(key, number)| (key.to_owned(), number)));
    }

    #[test]
    fn only_so_many_and_no_endless_keys_are_sampled() {
        let many: Map<_, _> = (0..500).map(|n| (format!("metric_{n:03}"), json!(n))).collect();
        let found = sampled(Value::Object(many));
        assert_eq!((found.len(), found[63].0.as_str()), (METRICS_MAX, "metric_063"));
        assert_eq!(sampled(json!({ "k".repeat(101): 1, "short": 2 })), [("short".to_owned(), 2.0)]);
        let deep = (0..50).fold(json!(1), |inner, _| json!({ "a": inner }));
        assert_eq!(sampled(deep), []);
    }
}
