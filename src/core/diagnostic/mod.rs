//! A problem as a value: a stable code, a place in a file, the offending text and what to type instead.
//!
//! Checks return diagnostics and never print them. Two renderers read them: [`full`] for a terminal,
//! [`json`] for programs.

mod code;
pub mod full;
pub mod json;
mod problem;
mod severity;
pub mod spanned;

pub use code::Code;
pub use problem::{Diagnostic, Diagnostics, File, Location, Position};
pub use severity::Severity;
