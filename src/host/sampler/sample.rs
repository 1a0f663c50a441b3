//! A sample, and where samples are stored.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use candor_core::contract::ServiceError;

/// How long samples are kept.
pub const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// One reading of the metrics file.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// These numbers, by dotted key.
    Figures(Vec<(String, f64)>),
    /// No current numbers: the file was stale, missing or unusable.
    Stale,
}

/// A sample as it is read back: keys and numbers in the same order, or `None` for a stale one.
pub type Sampled<'a> = Option<(&'a [String], &'a [f64])>;

/// Receives every sample of a range, in order of time.
pub type Visit<'a> = &'a mut (dyn FnMut(SystemTime, Sampled<'_>) + Send);

/// Stores samples.
#[async_trait]
pub trait Samples: Send + Sync {
    /// Stores a sample, and removes some that are older than [`KEPT`] before it.
    async fn keep(&self, at: SystemTime, sample: &Sample) -> Result<(), ServiceError>;
    /// Passes every sample of a range of time to `visit`.
    async fn each(&self, from: SystemTime, until: SystemTime, visit: Visit<'_>) -> Result<(), ServiceError>;
}
