//! Secret keys: random bytes that are generated once and last as long as the store.

use std::fmt;

use async_trait::async_trait;

use candor_core::contract::ServiceError;

/// The length of a key in bytes. An HMAC with SHA-256 is as strong as its key up to this length.
pub const KEY_LENGTH: usize = 32;

#[async_trait]
pub trait Secrets: Send + Sync {
    /// Returns the key of that name. It is generated on the first request and never changes by itself.
    async fn key(&self, name: &str) -> Result<SigningKey, ServiceError>;
}

/// A signing key. It has no text form, so no log can hold it.
#[derive(Clone)]
pub struct SigningKey([u8; KEY_LENGTH]);

impl SigningKey {
    pub fn new(bytes: [u8; KEY_LENGTH]) -> Self {
        Self(bytes)
    }

    pub fn bytes(&self) -> &[u8; KEY_LENGTH] {
        &self.0
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_nothing_of_itself() {
        assert_eq!(format!("{:?}", SigningKey::new([65; KEY_LENGTH])), "SigningKey(…)");
    }
}
