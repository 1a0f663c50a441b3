//! The chat model as the core sees it: its interface, the ways it fails, and the probes of how it calls tools and whether it takes
//! images.

mod failure;
mod image_probe;
mod interface;
mod probe;
mod thinking;

pub use failure::ModelFailure;
pub use image_probe::ImageProbe;
pub use interface::{Growth, Model, Request, Unwatched};
pub use probe::Probe;
pub(crate) use thinking::final_words;
pub use thinking::{begins_in_thought, without_thinking, words_so_far};
