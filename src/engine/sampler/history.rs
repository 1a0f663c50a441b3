//! The history of the metrics, from the stored samples.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::sync::Mutex;

use crate::sampler::past::Collector;
use crate::sampler::sample::Samples;
use candor_core::contract::{History, Past, ServiceError};

/// How long a collection is shared. A shared collection lacks one or a few of the newest samples.
const SHARED_FOR: Duration = Duration::from_secs(30);

/// The most collections kept: as many as there are ranges to choose.
const SHARED_MAX: usize = 8;

/// The history, from the stored samples. Collections are made one at a time, and shared with requests for a span of the
/// same length soon after.
pub struct SampledHistory {
    samples: Arc<dyn Samples>,
    every: Duration,
    /// Locked while a collection is made.
    shared: Mutex<Vec<Shared>>,
}

/// A collection of a span of this length, up to that time.
struct Shared {
    length: Duration,
    until: SystemTime,
    past: Past,
}

impl SampledHistory {
    pub fn new(samples: Arc<dyn Samples>, every: Duration) -> Self {
        Self { samples, every, shared: Mutex::default() }
    }
}

#[async_trait]
impl History for SampledHistory {
    async fn between(&self, from: SystemTime, until: SystemTime) -> Result<Past, ServiceError> {
        let mut shared = self.shared.lock().await;
        let length = until.duration_since(from).unwrap_or_default();
        shared.retain(|shared| until.duration_since(shared.until).is_ok_and(|age| age < SHARED_FOR));
        if let Some(shared) = shared.iter().find(|shared| shared.length == length) {
            return Ok(shared.past.clone());
        }
        let mut collector = Collector::new(from, until, self.every);
        self.samples.each(from, until, &mut |at, sample| collector.take(at, sample)).await?;
        let past = collector.finish();
        shared.truncate(SHARED_MAX - 1);
        shared.push(Shared { length, until, past: past.clone() });
        Ok(past)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::sampler::sample::{Sample, Visit};

    /// Counts how often samples are read.
    #[derive(Default)]
    struct Counted(AtomicUsize);

    #[async_trait]
    impl Samples for Counted {
        async fn keep(&self, _: SystemTime, _: &Sample) -> Result<(), ServiceError> {
            Ok(())
        }

        async fn each(&self, _: SystemTime, _: SystemTime, _: Visit<'_>) -> Result<(), ServiceError> {
            tokio::task::yield_now().await;
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    /// M7: forty who ask for a chart at once cost one collection.
    #[tokio::test]
    async fn m7_a_collection_is_made_once_and_shared_for_a_while() {
        let samples = Arc::new(Counted::default());
        let history = SampledHistory::new(samples.clone(), Duration::from_secs(30));
        let hour = Duration::from_hours(1);
        let week = Duration::from_hours(168);
        let at = |seconds| SystemTime::UNIX_EPOCH + week + Duration::from_secs(seconds);
        let ask = |length, until| {
            let asked = history.between(until - length, until);
            async move { assert!(asked.await.is_ok()) }
        };
        futures_util::future::join_all((0..40).map(|n| ask(hour, at(n % 30)))).await;
        let n_first = samples.0.load(Ordering::Relaxed);
        assert_eq!(n_first, 1);
        // Another length, and the same when it is old.
        ask(week, at(29)).await;
        assert_eq!(samples.0.load(Ordering::Relaxed), 2);
        ask(hour, at(30)).await;
        assert_eq!(samples.0.load(Ordering::Relaxed), 3);
    }
}
