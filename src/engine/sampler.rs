//! Samples the live metrics, so that their history can be shown.
//!
//! A sample holds the numbers of the metrics file at a moment, or that it was stale, missing or unusable. Gaps between
//! samples are not filled in.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::sync::Mutex;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{Clock, Leases};
use candor_core::contract::{History, Live, Past, PastMetric, Point, ServiceError, fresh_metrics, metric_figures};

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

/// The most points of a series: two pixels each in a picture of 1,100.
const POINTS_MAX: u32 = 400;

/// Two samples are connected if at most two between them are missing.
const SAMPLES_APART_MAX: u32 = 3;

struct Collector {
    from: SystemTime,
    until: SystemTime,
    every: Duration,
    /// The range of time that becomes one point.
    bucket: Duration,
    metrics: Vec<PastSeries>,
    by_key: HashMap<String, usize>,
    stale: Vec<(SystemTime, SystemTime)>,
    /// When the last sample was taken, and whether it was stale.
    last: Option<(SystemTime, bool)>,
}

struct PastSeries {
    metric: PastMetric,
    open: Option<Bucket>,
}

/// The samples of one point so far.
struct Bucket {
    number: u128,
    n: u32,
    /// The sum of the samples' times since the start of the bucket.
    since: Duration,
    begin: SystemTime,
    mean: f64,
    low: f64,
    high: f64,
}

impl Collector {
    fn new(from: SystemTime, until: SystemTime, every: Duration) -> Self {
        let bucket = until.duration_since(from).unwrap_or_default() / POINTS_MAX;
        Self {
            from,
            until,
            every,
            bucket: bucket.max(Duration::from_millis(1)),
            metrics: Vec::new(),
            by_key: HashMap::new(),
            stale: Vec::new(),
            last: None,
        }
    }

    fn take(&mut self, at: SystemTime, sample: Sampled<'_>) {
        self.follow(at, sample.is_none());
        let Some((keys, numbers)) = sample else { return };
        let Ok(since) = at.duration_since(self.from) else { return };
        // The last moment is part of the last bucket.
        let number = (since.as_nanos() / self.bucket.as_nanos()).min(u128::from(POINTS_MAX) - 1);
        for (key, value) in keys.iter().zip(numbers) {
            let index = match self.by_key.get(key) {
                Some(index) => *index,
                None => {
                    let metric = PastMetric { key: key.clone(), points: Vec::new(), last: *value };
                    self.metrics.push(PastSeries { metric, open: None });
                    self.by_key.insert(key.clone(), self.metrics.len() - 1);
                    self.metrics.len() - 1
                }
            };
            if let Some(series) = self.metrics.get_mut(index) {
                series.add(number, at, *value);
            }
        }
    }

    /// Records where the file was stale: from a stale sample to the next that is not, or for as long as a sample is
    /// valid.
    fn follow(&mut self, at: SystemTime, is_stale: bool) {
        let apart = self.gap_of_samples();
        if let (Some((last, true)), Some(stretch)) = (self.last, self.stale.last_mut()) {
            let joined = at.duration_since(last).unwrap_or_default() <= apart;
            stretch.1 = if joined { at } else { (last + self.every).min(self.until) };
            if is_stale && joined {
                self.last = Some((at, true));
                return;
            }
        }
        if is_stale {
            self.stale.push((at, at));
        }
        self.last = Some((at, is_stale));
    }

    fn gap_of_samples(&self) -> Duration {
        self.every * SAMPLES_APART_MAX
    }

    fn finish(mut self) -> Past {
        if let (Some((last, true)), Some(stretch)) = (self.last, self.stale.last_mut()) {
            stretch.1 = (last + self.every).min(self.until).max(last);
        }
        let gap = self.gap_of_samples().max(self.bucket * 2);
        let metrics = self.metrics.into_iter().map(PastSeries::finish).collect();
        Past { metrics, stale: self.stale, gap }
    }
}

impl PastSeries {
    fn add(&mut self, number: u128, at: SystemTime, value: f64) {
        if self.open.as_ref().is_some_and(|bucket| bucket.number != number) {
            self.close();
        }
        self.metric.last = value;
        match &mut self.open {
            Some(bucket) => bucket.add(at, value),
            None => {
                let since = Duration::ZERO;
                self.open = Some(Bucket { number, n: 1, since, begin: at, mean: value, low: value, high: value });
            }
        }
    }

    fn close(&mut self) {
        let point = |bucket: Bucket| Point {
            at: bucket.begin + bucket.since / bucket.n.max(1),
            mean: bucket.mean,
            low: bucket.low,
            high: bucket.high,
        };
        self.metric.points.extend(self.open.take().map(point));
    }

    fn finish(mut self) -> PastMetric {
        self.close();
        self.metric
    }
}

impl Bucket {
    fn add(&mut self, at: SystemTime, value: f64) {
        self.n += 1;
        self.since += at.duration_since(self.begin).unwrap_or_default();
        // Each difference is divided first, because the sum of two large numbers may overflow.
        let n = f64::from(self.n);
        self.mean += value / n - self.mean / n;
        (self.low, self.high) = (self.low.min(value), self.high.max(value));
    }
}

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

#[cfg(test)]
mod history_tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::sampler::{Sample, Visit};

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

#[cfg(test)]
mod past_tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    const EVERY: Duration = Duration::from_secs(30);

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    /// The samples of one metric: a number, or stale.
    fn past(range: u64, samples: &[(u64, Option<f64>)]) -> Past {
        let mut collector = Collector::new(at(0), at(range), EVERY);
        let keys = ["load".to_owned()];
        for (second, value) in samples {
            let numbers = value.map(|value| [value]);
            collector.take(at(*second), numbers.as_ref().map(|numbers| (&keys[..], &numbers[..])));
        }
        collector.finish()
    }

    #[test]
    fn few_samples_stay_as_they_are() {
        let past = past(3_600, &[(0, Some(1.0)), (30, Some(5.0)), (3_600, Some(2.0))]);
        let point = |second, value| Point { at: at(second), mean: value, low: value, high: value };
        let points = vec![point(0, 1.0), point(30, 5.0), point(3_600, 2.0)];
        assert_eq!(past.metrics, [PastMetric { key: "load".to_owned(), points, last: 2.0 }]);
        assert_eq!(past.gap, Duration::from_secs(90));
    }

    #[test]
    fn many_samples_become_few_points_that_keep_the_extremes() {
        let week = 7 * 86_400;
        let samples: Vec<_> = (0..week / 30).map(|n| (n * 30, Some(if n == 777 { 100.0 } else { 1.0 }))).collect();
        let past = past(week, &samples);
        let points = &past.metrics[0].points;
        assert_eq!(points.len(), 400);
        let highest = points.iter().max_by(|a, b| a.high.total_cmp(&b.high)).unwrap();
        assert_eq!((highest.high, highest.low), (100.0, 1.0));
        assert!((1.0..4.0).contains(&highest.mean), "{highest:?}");
        let widest = points.windows(2).map(|pair| pair[1].at.duration_since(pair[0].at).unwrap()).max().unwrap();
        assert!(widest < past.gap, "{widest:?} in {:?}: nothing was missing", past.gap);
    }

    #[test]
    fn what_is_missing_stays_a_gap_at_every_range() {
        for range in [3_600, 86_400, 7 * 86_400_u64] {
            let missing = range / 4..range / 2;
            let samples: Vec<_> =
                (0..range / 30).map(|n| n * 30).filter(|at| !missing.contains(at)).map(|at| (at, Some(1.0))).collect();
            let past = past(range, &samples);
            let apart: Vec<_> = past.metrics[0]
                .points
                .windows(2)
                .filter(|pair| past.gap < pair[1].at.duration_since(pair[0].at).unwrap())
                .collect();
            assert_eq!(apart.len(), 1, "{range}");
        }
    }

    #[test]
    fn a_stale_stretch_lasts_until_the_next_good_sample() {
        type Samples = &'static [(u64, Option<f64>)];
        let cases: [(Samples, &[(u64, u64)]); 6] = [
            (&[(0, Some(1.0)), (30, None), (60, None), (90, Some(1.0))], &[(30, 90)]),
            (&[(0, None), (30, Some(1.0)), (60, None), (90, Some(1.0))], &[(0, 30), (60, 90)]),
            // Nobody looked: what was stale is not stale for hours because of that.
            (&[(0, None), (30, None), (3_000, Some(1.0))], &[(0, 60)]),
            (&[(0, None), (3_000, None), (3_030, None)], &[(0, 30), (3_000, 3_060)]),
            // It never goes beyond what was asked for.
            (&[(3_590, None)], &[(3_590, 3_600)]),
            (&[(0, Some(1.0))], &[]),
        ];
        for (samples, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|&(from, until)| (at(from), at(until))).collect();
            assert_eq!(past(3_600, samples).stale, expected, "{samples:?}");
        }
    }

    #[test]
    fn no_number_breaks_a_mean() {
        let past = past(7 * 86_400, &[(0, Some(f64::MAX)), (30, Some(f64::MAX)), (60, Some(f64::MAX))]);
        assert!(past.metrics[0].points[0].mean.is_finite());
    }
}
