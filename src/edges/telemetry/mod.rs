//! What the process tells its operator's tools: the log, and with the feature `otlp` its traces.
//!
//! The spans are made where the work is done, whether or not anybody takes them: `inbound`, `command`, `turn`,
//! `model_request` and `tool_call`. The log leaves them out. A collector gets them, with the attributes that `attributes`
//! lists and no others.

mod log;
mod origin;
#[cfg(feature = "otlp")]
mod traces;

pub use log::{Log, start};
