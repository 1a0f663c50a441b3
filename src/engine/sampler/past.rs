//! Turns samples into series for a chart: limited in points, with gaps where samples are too far apart.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use crate::sampler::sample::Sampled;
use candor_core::contract::{Past, PastMetric, Point};

/// The most points of a series: two pixels each in a picture of 1,100.
const POINTS_MAX: u32 = 400;

/// Two samples are connected if at most two between them are missing.
const SAMPLES_APART_MAX: u32 = 3;

pub(super) struct Collector {
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
    pub(super) fn new(from: SystemTime, until: SystemTime, every: Duration) -> Self {
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

    pub(super) fn take(&mut self, at: SystemTime, sample: Sampled<'_>) {
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

    pub(super) fn finish(mut self) -> Past {
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

#[cfg(test)]
mod tests {
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
