//! The live metrics file.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The top-level entry of a metrics file that the bot wrote itself. Not a metric: it tells such a file from
/// another producer's, which the bot never replaces.
pub const OWN_METRICS: (&str, &str) = ("producer", "candor");

/// The live metrics file.
pub trait Live: Send + Sync {
    /// What the file says now. Never waits, never touches the disk.
    fn observe(&self) -> Observation<Map<String, Value>>;
    /// How the operator wants it shown.
    fn presentation(&self) -> &Presentation;
}

/// What a watched file says, and what is wrong with it. Both may be present: the last good value stays
/// while the file is broken. Neither is, while the file was not read yet.
#[derive(Debug, PartialEq)]
pub struct Observation<T> {
    /// The path as the operator wrote it.
    pub path: String,
    /// The last whole and valid content.
    pub good: Option<Good<T>>,
    /// Why the file as it is now is not that content.
    pub trouble: Option<FileTrouble>,
}

/// A whole and valid content of a watched file.
#[derive(Debug, PartialEq)]
pub struct Good<T> {
    /// The content.
    pub value: Arc<T>,
    /// The file's modification time when it was read.
    pub modified: SystemTime,
}

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

/// What is wrong with a watched file now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileTrouble {
    /// There is no such file.
    Missing {
        /// Since when.
        since: SystemTime,
    },
    /// It cannot be read, or it does not say anything valid.
    Invalid {
        /// Since when.
        since: SystemTime,
        /// What is wrong, with line and column where there are any.
        problem: String,
    },
}

/// How live metrics are shown: `[status]` of the settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Presentation {
    /// The top-level key that says when the producer wrote the file: RFC 3339 text, or seconds or
    /// milliseconds since 1970.
    pub generated_at: String,
    /// Older than this is stale.
    pub stale_after: Duration,
    /// By key, dotted for groups (`memory.used_bytes`).
    pub metrics: BTreeMap<String, Metric>,
}

/// How one metric is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metric {
    /// The name shown; else made of the key.
    pub label: Option<String>,
    /// `%`, `bytes`, `bytes/s`, `seconds`, or any text set behind the number.
    pub unit: Option<String>,
    /// Where a chart of it has lines, from low to high.
    pub thresholds: Vec<f64>,
}
