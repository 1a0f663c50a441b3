//! Samples the live metrics, so that their history can be shown.
//!
//! A sample is what the metrics file says at a moment: its numbers, or that it was stale, missing or unusable. Nothing
//! is filled in: without a sample, nothing is known.

mod figures;
mod past;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::host::Clock;
use candor_core::contract::{History, Live, Past, ServiceError, fresh_metrics};
use figures::figures;
use past::Collector;

/// How long samples are kept.
pub const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The most metrics sampled, the first of the file.
pub const METRICS_MAX: usize = 64;

/// The content of the metrics file at a moment.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// These numbers, by dotted key.
    Figures(Vec<(String, f64)>),
    /// No current numbers: the file was stale, missing or unusable.
    Stale,
}

/// A sample as it is read back: keys and numbers in the same order, or `None` for a stale one.
pub type Kept<'a> = Option<(&'a [String], &'a [f64])>;

/// Receives every sample of a range, in order of time.
pub type Visit<'a> = &'a mut (dyn FnMut(SystemTime, Kept<'_>) + Send);

/// Stores samples.
#[async_trait]
pub trait Samples: Send + Sync {
    /// Stores a sample, and removes some that are older than [`KEPT`] before it.
    async fn keep(&self, at: SystemTime, sample: &Sample) -> Result<(), ServiceError>;
    /// Passes every sample of a range of time to `visit`.
    async fn each(&self, from: SystemTime, until: SystemTime, visit: Visit<'_>) -> Result<(), ServiceError>;
}

/// Takes the samples.
pub struct Sampler {
    /// The metrics file.
    pub live: Arc<dyn Live>,
    /// Where samples go.
    pub samples: Arc<dyn Samples>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The interval between samples.
    pub every: Duration,
}

impl Sampler {
    /// Takes one sample.
    pub async fn take(&self) -> Result<(), ServiceError> {
        let (now, observation) = (self.clock.now(), self.live.observe());
        let presentation = self.live.presentation();
        let sample = match fresh_metrics(&observation, presentation, now) {
            Some(content) => Sample::Figures(figures(content, presentation)),
            None => Sample::Stale,
        };
        self.samples.keep(now, &sample).await
    }

    /// Takes one sample now and then one each interval, until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let mut every = interval(self.every);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut failing = false;
        loop {
            tokio::select! {
                _ = every.tick() => {}
                () = stop.cancelled() => return,
            }
            match (self.take().await, failing) {
                (Ok(()), false) | (Err(_), true) => {}
                (Ok(()), true) => {
                    info!("the metrics are sampled again");
                    failing = false;
                }
                (Err(problem), false) => {
                    warn!(error = %problem, "the metrics are not sampled; trying on");
                    failing = true;
                }
            }
        }
    }
}

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
