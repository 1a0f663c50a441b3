//! Random bytes for digests of private arguments.

use candor_core::record::Salt;

/// Generates a salt; `None` if the system gives no random bytes.
pub fn salt() -> Option<Salt> {
    let mut salt = Salt::default();
    getrandom::fill(&mut salt).ok()?;
    Some(salt)
}
