//! A sample, and where samples are stored.

use std::time::SystemTime;

use async_trait::async_trait;

use candor_core::contract::ServiceError;

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
    /// Stores a sample.
    async fn keep(&self, at: SystemTime, sample: &Sample) -> Result<(), ServiceError>;
    /// Passes every sample of a range of time to `visit`.
    async fn each(&self, from: SystemTime, until: SystemTime, visit: Visit<'_>) -> Result<(), ServiceError>;
}
