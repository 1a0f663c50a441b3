//! Diagnostics: a problem with its stable code, source position, offending text and suggested text.
//!
//! Checks return diagnostics and never print them. There are two renderers: [`full`] for a terminal, [`json`] for
//! programs.

mod code;
pub mod full;
pub mod json;
mod problem;
mod repaired;
pub mod spanned;

pub use code::{Code, Severity};
pub use problem::{Diagnostic, Diagnostics, FirstError, Location, Position, SourceFile};
