//! The process's output for operators' tools: the log, and with the feature `otlp` its traces.
//!
//! The spans are made where the work is done, whether or not they are exported: `inbound`, `command`, `turn`,
//! `model_request` and `tool_call`. The log leaves them out. A collector gets them with only the attributes that
//! `attributes` lists.

mod log;
mod origin;
#[cfg(feature = "otlp")]
mod traces;

pub use log::{Log, start};
