//! Samples, their store, and the task that takes them: at once and then one each interval.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{Clock, Leases};
use candor_core::contract::{Live, ServiceError, fresh_metrics, metric_figures};

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

const LEASE: &str = "samples";

/// Another process takes over after this many missed samples.
const MISSED_MAX: u32 = 3;

pub struct Sampler {
    pub live: Arc<dyn Live>,
    pub samples: Arc<dyn Samples>,
    /// Of several processes on one store, only one samples.
    pub leases: Arc<dyn Leases>,
    pub clock: Arc<dyn Clock>,
    pub every: Duration,
}

impl Sampler {
    /// Takes one sample, unless another process does.
    pub async fn take(&self) -> Result<(), ServiceError> {
        let now = self.clock.now();
        if !self.leases.take_lease(LEASE, self.every * MISSED_MAX, now).await? {
            return Ok(());
        }
        let observation = self.live.observe();
        let presentation = self.live.presentation();
        let sample = match fresh_metrics(&observation, presentation, now) {
            Some(content) => Sample::Figures(metric_figures(content, presentation)),
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
                () = stop.cancelled() => break,
            }
            match (self.take().await, failing) {
                (Ok(()), false) | (Err(_), true) => {}
                (Ok(()), true) => {
                    info!("the metrics are sampled again");
                    failing = false;
                }
                (Err(problem), false) => {
                    warn!(error = %problem, "the metrics could not be sampled; still trying");
                    failing = true;
                }
            }
        }
        if let Err(problem) = self.leases.give_back_lease(LEASE).await {
            warn!(error = %problem, "the lease for sampling the metrics could not be given back; it ends by itself");
        }
    }
}
