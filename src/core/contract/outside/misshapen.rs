//! Why a program's answer was rejected.

use std::fmt;

/// The reason why an answer is malformed. For the log only, as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misshapen(String);

impl Misshapen {
    pub(super) fn new(why: String) -> Self {
        Self(why)
    }
}

impl fmt::Display for Misshapen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misshapen {}
