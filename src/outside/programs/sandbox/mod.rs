//! Confines a program: Landlock, a seccomp filter and, where this machine allows them, namespaces.

mod landlock;
mod namespaces;
mod rules;
mod seccomp;

pub use landlock::FileRules;
pub(super) use landlock::file_rules;
pub(super) use namespaces::leave;
pub(super) use rules::{Rules, confine};
