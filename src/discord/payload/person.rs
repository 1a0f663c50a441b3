//! Users and guild members.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serenity::model::id::{RoleId, UserId};

use super::lenient::{flag, ids, needed_id, object, text};

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct User<'a> {
    #[serde(deserialize_with = "needed_id")]
    pub(crate) id: UserId,
    #[serde(borrow, default, deserialize_with = "text")]
    username: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    global_name: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "flag")]
    pub(crate) bot: bool,
}

impl User<'_> {
    pub(crate) fn with_id(id: UserId) -> Self {
        Self { id, username: None, global_name: None, bot: false }
    }

    /// Returns the name that Discord shows without a nickname.
    pub(crate) fn display_name(&self) -> &str {
        let names = [&self.global_name, &self.username].into_iter().flatten();
        names.map(|name| &**name).find(|name| !name.is_empty()).unwrap_or_default()
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Member<'a> {
    /// Missing if the user is in a field next to the member.
    #[serde(borrow, default, deserialize_with = "object")]
    pub(crate) user: Option<User<'a>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(crate) nick: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "ids")]
    pub(crate) roles: Vec<RoleId>,
    /// The permissions in the channel of an interaction. Unreadable ones grant nothing.
    #[serde(default, deserialize_with = "permissions")]
    pub(crate) permissions: Option<u64>,
}

/// Parses the lowest 64 bits of permissions, which are a decimal number of any length.
fn permissions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(text(deserializer)?.and_then(|given| low_bits(&given)))
}

pub(super) fn low_bits(given: &str) -> Option<u64> {
    let is_number = !given.is_empty() && given.bytes().all(|byte| byte.is_ascii_digit());
    let add = |bits: u64, digit: u8| bits.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
    is_number.then(|| given.bytes().fold(0, add))
}
