//! Samples the live metrics, so that their history can be shown.
//!
//! A sample is what the metrics file says at a moment: its numbers, or that it was stale, missing or unusable. Nothing
//! is filled in: without a sample, nothing is known.

mod history;
mod past;
mod run;
mod sample;

pub use history::SampledHistory;
pub use run::Sampler;
pub use sample::{Sample, Sampled, Samples, Visit};
