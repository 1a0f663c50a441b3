//! Custom ids: what a button, a list or a form says back when it is used, signed, so that nobody else can say it.
//!
//! Discord hands a custom id to whoever looks and takes any from whoever sends one. So each of ours is bound to the
//! person it was made for, to what it is for, and to a time after which it is no longer good:
//!
//! ```text
//! custom id = base64url(version, mac, body)        at most 100 characters, which are 75 bytes
//! version   = 1 byte
//! mac       = the first 12 bytes of HMAC-SHA256(key, version, body)
//! body      = kind (1), position in the message (1), user (8), end (4, seconds since 1970), payload
//! ```
//!
//! That leaves [`PAYLOAD_MAX`] bytes for what it says: see `custom_id/purpose.rs`. The key is made once and kept in the
//! store, so what was given out is still good after a restart.

mod purpose;
pub(crate) mod question;
mod signed;
#[cfg(test)]
mod tests;

pub(crate) use purpose::{DoesNotFit, Purpose};
pub(crate) use question::{Choice, QuestionId};
pub(crate) use signed::{CustomIds, Refused, Signer};
