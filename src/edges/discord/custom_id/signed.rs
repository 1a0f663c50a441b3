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

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::edges::discord::custom_id::purpose::{DoesNotFit, Purpose};
use crate::host::SigningKey;
use candor_core::inbound::{CommandPath, UserId};

/// The longest custom id that Discord takes, in characters. See its documentation, "Custom ID".
#[cfg(test)]
pub(crate) const CUSTOM_ID_MAX: usize = 100;

/// The longest payload, in bytes: what 100 characters of base64 hold, less what stands before it.
pub(crate) const PAYLOAD_MAX: usize = 75 - 1 - MAC_LENGTH - HEAD_LENGTH;

/// So long is a custom id good for. What is under an older message is answered with how to get it anew.
pub(crate) const LIFETIME: Duration = Duration::from_hours(24);

/// The form of custom ids that this program writes. A change of the form is another version.
pub(crate) const VERSION: u8 = 1;

/// Bytes of the signature. 96 bits cannot be guessed by asking Discord's servers, which allow some tries a second.
const MAC_LENGTH: usize = 12;

/// Bytes of the body before its payload.
const HEAD_LENGTH: usize = 14;

/// What earlier versions of this bot wrote, unsigned.
const UNSIGNED: [&str; 2] = ["confirm:", "fix:"];

/// Makes custom ids, and reads what comes back.
pub(crate) struct CustomIds(SigningKey);

/// Makes custom ids for one person.
#[derive(Clone, Copy)]
pub(crate) struct Signer<'a> {
    ids: &'a CustomIds,
    user: UserId,
    now: SystemTime,
}

/// Why a custom id does nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refused {
    /// Nothing that this version wrote, or nothing of ours at all.
    Unknown,
    /// In our form, but not made by us for this: somebody changed it or made it up.
    Forged,
    /// Ours, and too old. The command it was for, if it was for one.
    Expired(Option<CommandPath>),
    /// Ours, and made for somebody else. The command it was for, if it was for one.
    Foreign(Option<CommandPath>),
}

impl CustomIds {
    /// Signs with this key.
    pub(crate) fn new(key: SigningKey) -> Self {
        Self(key)
    }

    /// Makes custom ids for this person, good for [`LIFETIME`].
    pub(crate) fn for_person(&self, user: UserId, now: SystemTime) -> Signer<'_> {
        Signer { ids: self, user, now }
    }

    /// What a custom id says, if it is ours, still good, and meant for whoever sent it. What saves a memory of a turn
    /// may come from operators as well: of whom it is taken, the turn decides.
    pub(crate) fn open(&self, custom_id: &str, by: UserId, now: SystemTime) -> Result<Purpose, Refused> {
        if UNSIGNED.iter().any(|former| custom_id.starts_with(former)) {
            return Err(Refused::Expired(None));
        }
        let bytes = URL_SAFE_NO_PAD.decode(custom_id).map_err(|_| Refused::Unknown)?;
        let (&version, signed) = bytes.split_first().ok_or(Refused::Unknown)?;
        if version != VERSION {
            return Err(Refused::Unknown);
        }
        let (mac, body) = signed.split_at_checked(MAC_LENGTH).ok_or(Refused::Forged)?;
        // Compared in constant time: how long it takes says nothing about how much of it was right.
        self.mac(body).verify_truncated_left(mac).map_err(|_| Refused::Forged)?;
        // From here on it is what we wrote ourselves.
        let head: [u8; HEAD_LENGTH] = body.first_chunk().copied().ok_or(Refused::Forged)?;
        let [kind, _position, user @ .., end_0, end_1, end_2, end_3] = head;
        let payload = body.get(HEAD_LENGTH..).unwrap_or_default();
        let purpose = Purpose::read(kind, payload).ok_or(Refused::Unknown)?;
        let is_foreign = u64::from_be_bytes(user) != by.0;
        if is_foreign && !matches!(purpose, Purpose::Fix(_)) {
            return Err(Refused::Foreign(purpose.command().cloned()));
        }
        if u32::from_be_bytes([end_0, end_1, end_2, end_3]) <= seconds(now) {
            return Err(Refused::Expired(purpose.command().cloned()));
        }
        Ok(purpose)
    }

    fn mac(&self, body: &[u8]) -> Hmac<Sha256> {
        // HMAC itself fills a shorter key up with zeros to a block of its hash.
        let mut key = [0; 64];
        key.iter_mut().zip(self.0.bytes()).for_each(|(byte, kept)| *byte = *kept);
        Hmac::<Sha256>::new((&key).into()).chain_update([VERSION]).chain_update(body)
    }
}

impl Signer<'_> {
    /// The custom id for this purpose. `position` tells two controls of one message apart that do the same: Discord
    /// takes no custom id twice in a message.
    pub(crate) fn sign(&self, purpose: &Purpose, position: u8) -> Result<String, DoesNotFit> {
        let (kind, payload) = purpose.written()?;
        if PAYLOAD_MAX < payload.len() {
            return Err(DoesNotFit);
        }
        let mut body = vec![kind, position];
        body.extend(self.user.0.to_be_bytes());
        body.extend(seconds(self.now + LIFETIME).to_be_bytes());
        body.extend(payload);
        let mac = self.ids.mac(&body).finalize().into_bytes();
        let mut bytes = vec![VERSION];
        bytes.extend(mac.iter().take(MAC_LENGTH));
        bytes.extend(body);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }
}

/// Seconds since 1970. What is later than 2106 is the last second that four bytes can tell.
fn seconds(at: SystemTime) -> u32 {
    let since_1970 = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since_1970.as_secs()).unwrap_or(u32::MAX)
}
