//! Samples the live metrics, so that their history can be shown.
//!
//! A sample holds the numbers of the metrics file at a moment, or that it was stale, missing or unusable. Gaps between
//! samples are not filled in.

mod history;
mod past;
mod sample;

pub use history::SampledHistory;
pub use sample::{Sample, Sampled, Sampler, Samples, Visit};
