//! Secret keys, encryption with them, and random bytes for digests of private arguments.

use std::fmt;

use async_trait::async_trait;
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use candor_core::contract::ServiceError;
use candor_core::record::Salt;

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

/// Generates a salt; `None` if the system gives no random bytes.
pub fn salt() -> Option<Salt> {
    let mut salt = Salt::default();
    getrandom::fill(&mut salt).ok()?;
    Some(salt)
}

/// The length of a nonce in bytes: long enough to be drawn at random each time.
const NONCE_LENGTH: usize = 24;

/// Seals texts with one key, each for the event that it belongs to.
#[derive(Clone)]
pub struct Sealer(XChaCha20Poly1305);

impl Sealer {
    pub fn new(key: &SigningKey) -> Self {
        Self(XChaCha20Poly1305::new(key.bytes().into()))
    }

    /// Encrypts and authenticates a text. The result begins with the nonce. `None` if the system gives no random bytes.
    pub fn seal(&self, event: u64, text: &str) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_LENGTH];
        getrandom::fill(&mut nonce).ok()?;
        let payload = Payload { msg: text.as_bytes(), aad: &event.to_be_bytes() };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload).ok()?;
        Some([&nonce[..], &sealed].concat())
    }

    /// Decrypts a text that was sealed with this key for this event.
    pub fn open(&self, event: u64, sealed: &[u8]) -> Option<String> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LENGTH)?;
        let nonce: [u8; NONCE_LENGTH] = nonce.try_into().ok()?;
        let payload = Payload { msg: sealed, aad: &event.to_be_bytes() };
        String::from_utf8(self.0.decrypt(&XNonce::from(nonce), payload).ok()?).ok()
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KEY_LENGTH;

    #[test]
    fn a_key_shows_nothing_of_itself() {
        assert_eq!(format!("{:?}", SigningKey::new([65; KEY_LENGTH])), "SigningKey(…)");
    }

    #[test]
    fn what_is_sealed_is_opened_with_the_same_key_for_the_same_event_alone() {
        let sealer = |byte| Sealer::new(&SigningKey::new([byte; KEY_LENGTH]));
        let sealed = sealer(1).seal(7, "a token").unwrap();
        assert!(!sealed.windows(7).any(|bytes| bytes == b"a token"));
        assert_eq!(sealer(1).open(7, &sealed).as_deref(), Some("a token"));
        assert_eq!(sealer(2).open(7, &sealed), None);
        assert_eq!(sealer(1).open(8, &sealed), None);
        assert_eq!(sealer(1).open(7, &[&sealed[..], &[0]].concat()), None);
        assert_eq!(sealer(1).open(7, &[]), None);
        assert_ne!(sealer(1).seal(7, "a token").unwrap(), sealed, "each has a nonce of its own");
    }
}
