//! The start-up check of modules: reports every problem at once and returns the valid modules.
//!
//! [`check`] is a function from manifests and compiled-in code to commands and diagnostics. It does not stop at the
//! first problem, and an invalid module does not affect the others.

pub(crate) mod checked;
mod commands;
mod cooldown;
mod declared_names;
mod findings;
mod module;
mod options;
pub(crate) mod outside;
mod run;
pub(crate) mod settings;
pub(crate) mod subject;
mod wording;

pub use module::declared_commands;
pub use run::check;
