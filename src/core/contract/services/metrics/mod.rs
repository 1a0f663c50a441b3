//! The live metrics: the watched file, when it was written, and past samples of it.

mod freshness;
mod history;
mod live;

pub use freshness::{WrittenBy, WrittenMetrics, fresh_metrics, written_metrics};
pub use history::{History, Past, PastMetric, Point};
pub use live::{FileTrouble, Good, Live, Metric, OWN_METRICS, Observation, Presentation};
