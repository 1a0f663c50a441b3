//! The key of a conversation, as the values that its statements begin with.

use crate::edges::store::sql::Param;
use candor_core::agent::ConversationKey;

/// The values that every statement begins with, and more.
pub(super) fn with<const N: usize>(key: &ConversationKey, more: [Param; N]) -> Vec<Param> {
    [key.place.as_str().into(), key.user.0.into()].into_iter().chain(more).collect()
}
