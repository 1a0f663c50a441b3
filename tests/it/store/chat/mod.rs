//! What is kept of chats: conversations with their summaries, and turns.

mod conversations;
mod open_replies;
pub(crate) mod shared;
pub(crate) mod summaries;
mod turns;

use std::time::SystemTime;

use candor_core::agent::{ConversationKey, Conversations as _, Turns as _};
use candor_core::inbound::{Place, UserId};
use candor_core::record::{TurnId, TurnRecord};
use candor_core::router::ChatText;
use candor_store::Database;

/// Keeps an exchange of a turn that begins now.
pub(crate) async fn append(store: &Database, key: &ConversationKey, words: &ChatText, answer: &str, at: SystemTime) {
    let generation = store.generation(key).await.unwrap();
    assert!(store.append(key, generation, words, answer, at).await.unwrap());
}

/// Keeps the record of a turn that begins now.
pub(crate) async fn keep(store: &Database, user: UserId, place: Place, at: SystemTime, record: &TurnRecord) -> TurnId {
    let generation = store.generation(&ConversationKey::new(place, user)).await.unwrap();
    store.keep(user, place, generation, at, record).await.unwrap().unwrap()
}
