//! Why the process ends: a sentence and an exit code.

use std::fmt;

/// An exit code, as `sysexits.h` names them where it has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Fine = 0,
    /// A failure without a code of its own.
    Failed = 1,
    /// `candor sync --plan` found something to change.
    Drift = 2,
    /// Something outside is not available: a full disk, a port in use, Discord down. A retry may help.
    Unavailable = 69,
    /// The settings, a module, the token or an intent is wrong. A retry does not help.
    Config = 78,
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> Self {
        exit as Self
    }
}

/// The reason why the process cannot go on. The text tells the operator the problem, its place and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub code: u8,
    pub text: String,
}

impl Failure {
    pub fn new(code: impl Into<u8>, text: impl Into<String>) -> Self {
        Self { code: code.into(), text: text.into() }
    }

    /// Creates a failure of the configuration: [`Exit::Config`].
    pub fn config(text: impl Into<String>) -> Self {
        Self::new(Exit::Config, text)
    }

    /// Creates a failure of something outside: [`Exit::Unavailable`].
    pub fn unavailable(text: impl Into<String>) -> Self {
        Self::new(Exit::Unavailable, text)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
