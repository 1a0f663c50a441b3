//! Samples and their store.

use std::time::SystemTime;

use async_trait::async_trait;

use candor_core::contract::ServiceError;

#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// The numbers, by dotted key.
    Figures(Vec<(String, f64)>),
    /// No current numbers: the file was stale, missing or unusable.
    Stale,
}

/// A stored sample: keys and numbers in the same order, or `None` for a stale one.
pub type Sampled<'a> = Option<(&'a [String], &'a [f64])>;

/// Receives every sample of a range, in order of time.
pub type Visit<'a> = &'a mut (dyn FnMut(SystemTime, Sampled<'_>) + Send);

#[async_trait]
pub trait Samples: Send + Sync {
    async fn keep(&self, at: SystemTime, sample: &Sample) -> Result<(), ServiceError>;
    async fn each(&self, from: SystemTime, until: SystemTime, visit: Visit<'_>) -> Result<(), ServiceError>;
}
