//! Custom ids of components and modals, signed so that they cannot be forged.
//!
//! Anyone can read a custom id, and Discord accepts any id from any client. So each of ours is bound to its purpose,
//! its expiry time and the person it was made for. Some purposes let other people use it too:
//!
//! ```text
//! custom id = base64url(version, mac, body)        at most 100 characters, which are 75 bytes
//! version   = 1 byte
//! mac       = the first 12 bytes of HMAC-SHA256(key, version, body)
//! body      = kind (1), position in the message (1), user (8), end (4, seconds since 1970), payload
//! ```
//!
//! That leaves [`PAYLOAD_MAX`] bytes for the purpose: see `custom_id/purpose.rs`. The key is created once and stored,
//! so components keep working after a restart.

mod purpose;
mod signed;
#[cfg(test)]
mod tests;

pub(crate) use purpose::{Decision, DoesNotFit, Purpose, QuestionId};
pub(crate) use signed::{CustomIds, Refused, Signer, Verified};
