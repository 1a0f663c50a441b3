//! Writes this machine's metrics to the metrics file: a producer for operators who have none.
//!
//! It writes as any other producer does: a new file replaces the old one as a whole. Operators with their own producer
//! switch this one off (`[host_metrics] enabled = false`). It never replaces a file that it did not write: `[status]
//! file` may name any file by mistake.

mod figures;
mod producer;
mod replace;

pub use figures::process_figures;
pub use producer::HostMetrics;
