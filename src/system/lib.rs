//! The machine under the bot. Each module hides one thing outside of the program.

pub mod chart_png;
pub mod files;
pub mod host_metrics;
pub mod pictures;
pub mod telemetry;
pub mod watch;
pub mod web;
pub mod workspace;
