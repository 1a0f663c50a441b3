//! What the live metrics were: samples that the host took of the metrics file, for a module to show.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use super::ServiceError;

/// The metrics file over time.
#[async_trait]
pub trait History: Send + Sync {
    /// What is known of this stretch of time, at most 7 days back.
    async fn between(&self, from: SystemTime, until: SystemTime) -> Result<Past, ServiceError>;
}

/// What is known of a stretch of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// Every metric that had a number in it, in the order of their first samples.
    pub metrics: Vec<PastMetric>,
    /// When the file was stale, missing or not usable: begin and end, in order.
    pub stale: Vec<(SystemTime, SystemTime)>,
    /// Between two samples that are further apart nothing is known.
    pub gap: Duration,
}

/// One metric over time.
#[derive(Clone, Debug, PartialEq)]
pub struct PastMetric {
    /// Its key, dotted for groups: `memory.used_bytes`.
    pub key: String,
    /// In order of time, few enough to be drawn.
    pub points: Vec<Point>,
    /// Its last sample as it was taken.
    pub last: f64,
}

/// The samples of a short stretch of time as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The middle of when they were taken.
    pub at: SystemTime,
    /// Their mean.
    pub mean: f64,
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
}
