//! A chart as data: series of samples over a period, to be drawn by an edge.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

/// A chart of metrics over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The heading: `Status, last hour`.
    pub title: String,
    /// The first moment shown.
    pub from: SystemTime,
    /// The last moment shown.
    pub until: SystemTime,
    /// The metrics, each in a separate panel. At most [`SERIES_MAX`](crate::reply::SERIES_MAX) are drawn.
    pub series: Vec<Series>,
    /// The periods in which the source was stale: begin and end.
    pub stale: Vec<(SystemTime, SystemTime)>,
    /// The alternative text of the image: 1 to 1,024 characters.
    pub alt_text: String,
    /// The rendered image, once drawn.
    pub png: Option<Png>,
}

/// One metric over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The display name.
    pub label: String,
    /// The unit: `%`, `bytes`, or empty.
    pub unit: String,
    /// The key figures, shown beside the name: `last 12 %`.
    pub summary: String,
    /// Times and values, in order of time. If two samples are further apart than `gap`, the values between them are
    /// unknown.
    pub samples: Vec<(SystemTime, f64)>,
    /// The lowest and highest value behind each sample; empty if each sample is a single value.
    pub spread: Vec<(f64, f64)>,
    /// Neighbouring samples further apart than this are not joined.
    pub gap: Duration,
    /// The operator's thresholds.
    pub thresholds: Vec<f64>,
}

impl Series {
    /// Returns the index ranges of joined samples. The values between two ranges are unknown.
    pub(crate) fn runs(&self) -> Vec<std::ops::Range<usize>> {
        let mut runs = Vec::new();
        let mut begin = 0;
        for (at, pair) in self.samples.windows(2).enumerate() {
            let [(before, _), (after, _)] = pair else { continue };
            if self.gap < after.duration_since(*before).unwrap_or_default() {
                runs.push(begin..at + 1);
                begin = at + 1;
            }
        }
        if begin < self.samples.len() {
            runs.push(begin..self.samples.len());
        }
        runs
    }
}

/// The bytes of a PNG image.
#[derive(Clone, PartialEq, Eq)]
pub struct Png(pub Arc<[u8]>);

impl fmt::Debug for Png {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Png({} bytes)", self.0.len())
    }
}

/// Draws charts.
#[async_trait]
pub trait Painter: Send + Sync {
    /// Renders the chart as a PNG, or says why not, for the log.
    async fn paint(&self, chart: &Chart) -> Result<Png, String>;
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn what_is_further_apart_than_a_gap_is_not_joined() {
        let cases = [
            (vec![], vec![]),
            (vec![0], vec![(0, 1)]),
            (vec![0, 60, 120], vec![(0, 3)]),
            (vec![0, 60, 151, 211], vec![(0, 2), (2, 4)]),
            (vec![0, 91, 182], vec![(0, 1), (1, 2), (2, 3)]),
        ];
        for (seconds, expected) in cases {
            let samples = seconds.iter().map(|second| (UNIX_EPOCH + Duration::from_secs(*second), 1.0)).collect();
            let series = Series {
                label: String::new(),
                unit: String::new(),
                summary: String::new(),
                samples,
                spread: Vec::new(),
                gap: Duration::from_secs(90),
                thresholds: Vec::new(),
            };
            let runs: Vec<_> = series.runs().into_iter().map(|run| (run.start, run.end)).collect();
            assert_eq!(runs, expected, "{seconds:?}");
        }
    }
}
