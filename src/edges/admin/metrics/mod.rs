//! `/metrics`: what is counted and measured, in the text format of Prometheus.
//!
//! `families` is the one list of what is exported; `docs/metrics.md` is made from it, and nothing else can be written
//! to the page.

mod exposition;
mod families;
mod family;
mod page;

pub use families::FAMILIES;
pub use family::{Family, Kind, Label, Values};
pub(super) use page::{CONTENT_TYPE, text};
