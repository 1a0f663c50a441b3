//! The edges to the outside world: each module hides one outside thing and uses no other edge. Modules that read a
//! secret from a file share `files::secret_file`.

pub mod admin;
pub mod chart_png;
pub mod console;
pub mod discord;
pub mod files;
pub mod host_metrics;
pub mod model;
pub mod pictures;
pub mod programs;
pub mod store;
pub mod telemetry;
pub mod watch;
pub mod web;
pub mod workspace;
