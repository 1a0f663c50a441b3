//! Outside programs, contained: limits, Landlock, a seccomp filter, namespaces where this machine allows them, and no
//! access to the bot's own data.
//!
//! The bot never forks, because the cost of a fork grows with its memory. It starts its own binary again as a small
//! [`starter`], which supervises the program and kills all its descendants. `SECURITY.md` states its guarantees and
//! their limits.

mod calculator;
mod containment;
mod error;
mod look;
mod module;
mod program;
mod quota;
mod running;
mod sandbox;
mod spec;
pub mod starter;

pub use calculator::{ProcessCalculator, answer_calculation};
pub use containment::Containment;
pub use error::ProgramError;
pub use look::{Found, find};
pub use module::{
    AskedReads, CheckedCopy, Forbidden, ModuleFolders, Prepared, Turns, is_granted, own_secret, prepared, remove_copy,
    remove_unused_copies, start_module, token_files,
};
pub use program::Printed;
pub use running::Running;
pub use sandbox::FileRules;
pub use spec::{ProgramSpec, Programs};
pub use starter::ProgramLimits;
