//! History of the live metrics: samples that the host took of the metrics file.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::contract::services::error::ServiceError;

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
