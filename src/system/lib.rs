//! The machine under the bot. Each module hides one thing outside and uses no other, except that several read files by
//! `files`.

pub mod chart_png;
pub mod files;
pub mod host_metrics;
pub mod pictures;
pub mod telemetry;
pub mod watch;
pub mod web;
pub mod workspace;
