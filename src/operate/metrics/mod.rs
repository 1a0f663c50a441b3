//! `/metrics`: counters and measurements in the text format of Prometheus.
//!
//! `families` is the only list of exported metrics. `docs/metrics.md` is generated from it, and no other metric can be
//! written to the page.

mod exposition;
mod families;
mod family;
mod page;

pub use families::FAMILIES;
pub use family::{Family, Kind, Label, Values};
pub(super) use page::{CONTENT_TYPE, text};
