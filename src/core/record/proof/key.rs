//! The Ed25519 keys (RFC 8032) that sign heads.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use crate::record::proof::bytes::Bytes;
use crate::record::receipt::Digest;

/// Length of the secret part of a key, in bytes.
pub const SEED_LENGTH: usize = 32;

pub type PublicKey = Bytes<32>;
pub type Signature = Bytes<64>;

/// PKCS#8 of an Ed25519 key up to its seed, see RFC 8410.
const PKCS8_START: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

const PEM_BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const PEM_END: &str = "-----END PRIVATE KEY-----";

/// A key that signs heads.
pub struct ReceiptKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

/// A text is not a key file of [`ReceiptKey::to_pem`] or of `openssl genpkey -algorithm ed25519`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not an Ed25519 key in PEM (PKCS#8), as `openssl genpkey -algorithm ed25519` writes it")]
pub struct NotAKey;

impl ReceiptKey {
    pub fn from_seed(seed: &[u8; SEED_LENGTH]) -> Result<Self, NotAKey> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| NotAKey)?;
        let public = pair.public_key().as_ref().try_into().map(Bytes).map_err(|_| NotAKey)?;
        Ok(Self { pair, public })
    }

    pub fn from_pem(text: &str) -> Result<Self, NotAKey> {
        let mut lines = text.trim().lines().map(str::trim);
        let body = (lines.next() == Some(PEM_BEGIN)).then(|| lines.next()).flatten().ok_or(NotAKey)?;
        if lines.next() != Some(PEM_END) || lines.next().is_some() {
            return Err(NotAKey);
        }
        let der = STANDARD.decode(body).map_err(|_| NotAKey)?;
        let seed = der.strip_prefix(&PKCS8_START).ok_or(NotAKey)?;
        Self::from_seed(seed.try_into().map_err(|_| NotAKey)?)
    }

    /// Returns the key file of a seed.
    pub fn to_pem(seed: &[u8; SEED_LENGTH]) -> String {
        let der = [&PKCS8_START[..], seed].concat();
        format!("{PEM_BEGIN}\n{}\n{PEM_END}\n", STANDARD.encode(der))
    }

    pub fn public(&self) -> PublicKey {
        self.public
    }

    pub(super) fn sign(&self, message: Digest) -> Option<Signature> {
        self.sign_bytes(&message.0)
    }

    /// Signs bytes in another format. They must not have the length of a digest, so that no signature of them fits one.
    pub(super) fn sign_bytes(&self, bytes: &[u8]) -> Option<Signature> {
        self.pair.sign(bytes).as_ref().try_into().ok().map(Bytes)
    }
}

impl fmt::Debug for ReceiptKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReceiptKey({})", self.public)
    }
}

impl PublicKey {
    /// Returns the start of the key's SHA-256 as four groups of four digits, to be compared by eye.
    pub fn fingerprint(&self) -> String {
        let groups: Vec<_> = Digest::of(&[&self.0]).0.chunks(2).take(4).map(hex::encode).collect();
        groups.join("-")
    }

    pub(super) fn has_signed(&self, message: Digest, signature: &Signature) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(&message.0, &signature.0).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_is_read_back_and_one_of_openssl_too() {
        let key = ReceiptKey::from_pem(&ReceiptKey::to_pem(&[7; SEED_LENGTH])).unwrap();
        assert_eq!(key.public(), ReceiptKey::from_seed(&[7; SEED_LENGTH]).unwrap().public());
        // RFC 8410, section 10.3, with the public key of section 10.1.
        let of_the_rfc = "-----BEGIN PRIVATE KEY-----\n\
                          MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                          -----END PRIVATE KEY-----\n";
        let key = ReceiptKey::from_pem(of_the_rfc).unwrap();
        assert_eq!(key.public().to_string(), "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1");
        assert_eq!(format!("{key:?}"), format!("ReceiptKey({})", key.public()), "nothing secret is shown");
    }

    #[test]
    fn what_is_not_a_key_file_is_refused() {
        let good = ReceiptKey::to_pem(&[7; SEED_LENGTH]);
        let other_curve = good.replace("MC4CAQAwBQYDK2Vw", "MC4CAQAwBQYDK2Vu");
        let cases = [
            "",
            "text",
            "-----BEGIN PRIVATE KEY-----\nMC4C",
            &format!("{good}{good}"),
            &good.replace("PRIVATE", "PUBLIC"),
            &other_curve,
        ];
        for text in cases {
            assert_eq!(ReceiptKey::from_pem(text).unwrap_err(), NotAKey, "{text:?}");
        }
    }

    #[test]
    fn a_signature_is_of_one_message_by_one_key() {
        let key = |seed| ReceiptKey::from_seed(&[seed; SEED_LENGTH]).unwrap();
        let message = Digest::of(&[b"a message"]);
        let signature = key(1).sign(message).unwrap();
        assert!(key(1).public().has_signed(message, &signature));
        assert!(!key(2).public().has_signed(message, &signature));
        assert!(!key(1).public().has_signed(Digest::of(&[b"another"]), &signature));
    }
}
