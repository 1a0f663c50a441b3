//! The live metrics: the watched file, when it was written, and past samples of it.

mod figures;
mod freshness;
mod history;
mod live;

pub use figures::metric_figures;
pub use freshness::{WrittenBy, WrittenMetrics, fresh_metrics, written_metrics};
pub use history::{History, Past, PastMetric, Point};
pub use live::{FileTrouble, Good, Live, Metric, OWN_METRICS, Observation, Presentation};
