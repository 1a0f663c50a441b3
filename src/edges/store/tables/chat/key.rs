//! The key of a conversation, as the first values of its statements.

use crate::edges::store::sql::Param;
use candor_core::agent::ConversationKey;

pub(super) fn with<const N: usize>(key: &ConversationKey, more: [Param; N]) -> Vec<Param> {
    [key.place.as_str().into(), key.user.0.into()].into_iter().chain(more).collect()
}
