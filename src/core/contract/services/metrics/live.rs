//! The watched live metrics file.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

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
