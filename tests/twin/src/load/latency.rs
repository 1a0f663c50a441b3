//! Percentiles, exact: of a sorted list of all times.

use std::time::Duration;

use serde::Serialize;

/// How long interactions waited, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// Half of them waited no longer.
    pub p50_ms: f64,
    /// Nine of ten waited no longer.
    pub p90_ms: f64,
    /// 99 of 100 waited no longer.
    pub p99_ms: f64,
    /// None waited longer.
    pub max_ms: f64,
}

impl Latency {
    pub(super) fn of(mut times: Vec<Duration>) -> Latency {
        times.sort_unstable();
        // The smallest time that at least this share does not exceed.
        let at = |share: usize| {
            let rank = (times.len() * share).div_ceil(100).saturating_sub(1);
            times.get(rank).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
        };
        Latency { p50_ms: at(50), p90_ms: at(90), p99_ms: at(99), max_ms: at(100) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times = (1..=200).rev().map(Duration::from_millis).collect();
        let expected = Latency { p50_ms: 100.0, p90_ms: 180.0, p99_ms: 198.0, max_ms: 200.0 };
        assert_eq!(Latency::of(times), expected);
        let one = Latency::of(vec![Duration::from_millis(7)]);
        assert_eq!((one.p50_ms, one.max_ms), (7.0, 7.0));
        assert!(Latency::of(Vec::new()).p50_ms.is_nan());
    }
}
