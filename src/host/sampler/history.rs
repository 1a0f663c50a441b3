//! The history of the metrics, from the stored samples.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::host::sampler::past::Collector;
use crate::host::sampler::sample::Samples;
use candor_core::contract::{History, Past, ServiceError};

/// The history, from the stored samples.
pub struct SampledHistory {
    samples: Arc<dyn Samples>,
    every: Duration,
}

impl SampledHistory {
    /// The history of samples taken at this interval.
    pub fn new(samples: Arc<dyn Samples>, every: Duration) -> Self {
        Self { samples, every }
    }
}

#[async_trait]
impl History for SampledHistory {
    async fn between(&self, from: SystemTime, until: SystemTime) -> Result<Past, ServiceError> {
        let mut collector = Collector::new(from, until, self.every);
        self.samples.each(from, until, &mut |at, sample| collector.take(at, sample)).await?;
        Ok(collector.finish())
    }
}
