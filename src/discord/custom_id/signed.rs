//! Signs and verifies custom ids. The module `custom_id` describes the format.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::custom_id::purpose::{DoesNotFit, Purpose};
use candor_core::inbound::{CommandPath, UserId};
use candor_engine::SigningKey;

/// The longest custom id that Discord accepts, in characters. See its documentation, "Custom ID".
#[cfg(test)]
pub(crate) const CUSTOM_ID_MAX: usize = 100;

/// The maximum payload in bytes: 100 characters of base64, less version, MAC and head.
pub(crate) const PAYLOAD_MAX: usize = 75 - 1 - MAC_LENGTH - HEAD_LENGTH;

/// How long a custom id is valid. The answer to an expired one says how to get a new one.
pub(crate) const LIFETIME: Duration = Duration::from_hours(24);

/// The same for a control for everyone, under a long-lived message. It grants no rights: its user could call the
/// command anyway.
pub(crate) const LIFETIME_FOR_EVERYONE: Duration = Duration::from_hours(31 * 24);

/// The version of the format that this program writes. Every change of the format needs a new version.
pub(crate) const VERSION: u8 = 1;

/// Bytes of the truncated MAC. 96 bits cannot be guessed through Discord's API, which allows a few tries a second.
const MAC_LENGTH: usize = 12;

const HEAD_LENGTH: usize = 14;

/// Prefixes of the unsigned custom ids that earlier versions of this bot wrote.
const UNSIGNED: [&str; 2] = ["confirm:", "fix:"];

pub(crate) struct CustomIds(SigningKey);

#[derive(Clone, Copy)]
pub(crate) struct Signer<'a> {
    ids: &'a CustomIds,
    user: UserId,
    now: SystemTime,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refused {
    /// Not in the format of this version, or not ours.
    Unknown,
    /// In our format, but with a wrong signature: it was changed or made up.
    Forged,
    /// Ours, but expired. Holds its command, if any.
    Expired(Option<CommandPath>),
    /// Ours, but made for another person. Holds its command, if any.
    Foreign(Option<CommandPath>),
}

/// The content of an authentic custom id. It may have expired or belong to another person.
pub(crate) struct Verified {
    pub(crate) purpose: Purpose,
    /// The person it was made for.
    pub(crate) user: UserId,
    /// When it expires, in seconds since 1970.
    end: u32,
}

impl Verified {
    /// Returns why this person cannot use it now, or `None` if they can.
    pub(crate) fn refused(&self, by: UserId, now: SystemTime) -> Option<Refused> {
        let command = || self.purpose.command().cloned();
        if self.user != by && !self.purpose.is_for_others() {
            return Some(Refused::Foreign(command()));
        }
        (self.end <= seconds(now)).then(|| Refused::Expired(command()))
    }

    pub(crate) fn expires(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.end.into())
    }
}

impl Refused {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Forged => "forged",
            Self::Expired(_) => "expired",
            Self::Foreign(_) => "foreign",
        }
    }
}

impl CustomIds {
    pub(crate) fn new(key: SigningKey) -> Self {
        Self(key)
    }

    /// Returns a signer for this person. Custom ids are valid for [`LIFETIME`], those for everyone for
    /// [`LIFETIME_FOR_EVERYONE`].
    pub(crate) fn for_person(&self, user: UserId, now: SystemTime) -> Signer<'_> {
        Signer { ids: self, user, now }
    }

    /// Returns the purpose of a custom id if it is ours, unexpired, and usable by the sender.
    pub(crate) fn open(&self, custom_id: &str, by: UserId, now: SystemTime) -> Result<Purpose, Refused> {
        let verified = self.verify(custom_id)?;
        match verified.refused(by, now) {
            Some(refused) => Err(refused),
            None => Ok(verified.purpose),
        }
    }

    pub(crate) fn verify(&self, custom_id: &str) -> Result<Verified, Refused> {
        if UNSIGNED.iter().any(|former| custom_id.starts_with(former)) {
            return Err(Refused::Expired(None));
        }
        let bytes = URL_SAFE_NO_PAD.decode(custom_id).map_err(|_| Refused::Unknown)?;
        let (&version, signed) = bytes.split_first().ok_or(Refused::Unknown)?;
        if version != VERSION {
            return Err(Refused::Unknown);
        }
        let (mac, body) = signed.split_at_checked(MAC_LENGTH).ok_or(Refused::Forged)?;
        // Compare in constant time, so that the duration does not reveal how many bytes were right.
        self.mac(body).verify_truncated_left(mac).map_err(|_| Refused::Forged)?;
        // Authentic from here on: we wrote it ourselves.
        let head: [u8; HEAD_LENGTH] = body.first_chunk().copied().ok_or(Refused::Forged)?;
        let [kind, _position, user @ .., end_0, end_1, end_2, end_3] = head;
        let payload = body.get(HEAD_LENGTH..).unwrap_or_default();
        let purpose = Purpose::decode(kind, payload).ok_or(Refused::Unknown)?;
        let end = u32::from_be_bytes([end_0, end_1, end_2, end_3]);
        Ok(Verified { purpose, user: UserId(u64::from_be_bytes(user)), end })
    }

    fn mac(&self, body: &[u8]) -> Hmac<Sha256> {
        // HMAC itself pads a shorter key with zeros to the block size of its hash.
        let mut key = [0; 64];
        key.iter_mut().zip(self.0.bytes()).for_each(|(byte, kept)| *byte = *kept);
        Hmac::<Sha256>::new((&key).into()).chain_update([VERSION]).chain_update(body)
    }
}

impl Signer<'_> {
    /// Returns the custom id for this purpose. `position` distinguishes two components of one message with the same
    /// purpose: Discord rejects duplicate custom ids in a message.
    pub(crate) fn sign(&self, purpose: &Purpose, position: u8) -> Result<String, DoesNotFit> {
        let (kind, payload) = purpose.encode()?;
        if PAYLOAD_MAX < payload.len() {
            return Err(DoesNotFit);
        }
        let mut body = vec![kind, position];
        body.extend(self.user.0.to_be_bytes());
        let lifetime = if purpose.is_for_everyone() { LIFETIME_FOR_EVERYONE } else { LIFETIME };
        body.extend(seconds(self.now + lifetime).to_be_bytes());
        body.extend(payload);
        let mac = self.ids.mac(&body).finalize().into_bytes();
        let mut bytes = vec![VERSION];
        bytes.extend(mac.iter().take(MAC_LENGTH));
        bytes.extend(body);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }
}

/// Returns seconds since 1970, at most the last second that fits into four bytes (in 2106).
fn seconds(at: SystemTime) -> u32 {
    let since_1970 = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since_1970.as_secs()).unwrap_or(u32::MAX)
}
