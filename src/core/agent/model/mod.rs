//! The chat model as the core sees it: its interface, its failures, and the probes of its tool calls and image input.

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
