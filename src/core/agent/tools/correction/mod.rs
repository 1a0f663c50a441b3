//! Correction of a model that calls a tool which does not exist.

mod attempts;
mod near_names;
#[cfg(test)]
mod tests;
mod unknown_tool;

pub use attempts::Attempts;
pub use unknown_tool::{ControlVerb, Correction, correct_unknown_tool};
