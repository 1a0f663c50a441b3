//! Writes this machine's own figures to the metrics file: a producer for operators who have none.
//!
//! It writes as any other producer does: a new file replaces the old one, whole. Operators with a producer of their own
//! switch this one off (`[host_metrics] enabled = false`). A file that it did not write is never replaced: it may be
//! anything that `[status] file` named by mistake.

mod figures;
pub mod process;
mod producer;
mod replace;

pub use producer::HostMetrics;
