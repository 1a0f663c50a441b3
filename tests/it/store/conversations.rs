//! Conversations are kept, kept apart, and forgotten.

use super::{NOW, restart, store};
use candor_core::agent::{ConversationKey, Conversations as _, Exchange};
use candor_core::inbound::{ChannelId, GuildId, Place, UserId};
use candor_core::testing::chat;

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

fn exchange(said: &str, answered: &str) -> Exchange {
    Exchange::new(&chat(said), answered)
}

#[tokio::test]
async fn the_newest_exchanges_come_back_oldest_first_also_after_a_restart() {
    let (folder, store) = store().await;
    let key = ConversationKey::new(HERE, UserId(1));
    for turn in 1..=4 {
        store.append(&key, &chat(&format!("question {turn}")), &format!("answer {turn}"), NOW).await.unwrap();
    }
    let store = restart(&folder, store).await;
    let newest = [exchange("question 3", "answer 3"), exchange("question 4", "answer 4")];
    assert_eq!(store.history(&key, 2).await.unwrap(), newest);
    assert_eq!(store.history(&key, 0).await.unwrap(), []);
    assert_eq!(store.history(&key, usize::MAX).await.unwrap().len(), 4);
}

#[tokio::test]
async fn conversations_never_cross() {
    let (_folder, store) = store().await;
    let elsewhere = Place::Guild { guild: GuildId(1), channel: ChannelId(3) };
    let keys = [
        ConversationKey::new(HERE, UserId(1)),
        ConversationKey::new(HERE, UserId(2)),
        ConversationKey::new(elsewhere, UserId(1)),
        ConversationKey::new(Place::Direct { channel: ChannelId(2) }, UserId(1)),
        ConversationKey::new(Place::Console, UserId(0)),
    ];
    for (number, key) in keys.iter().enumerate() {
        store.append(key, &chat(&format!("secret {number}")), "noted", NOW).await.unwrap();
        store.choose_model(key, &format!("model {number}")).await.unwrap();
    }
    for (number, key) in keys.iter().enumerate() {
        assert_eq!(store.history(key, 9).await.unwrap(), [exchange(&format!("secret {number}"), "noted")]);
        assert_eq!(store.model(key).await.unwrap(), Some(format!("model {number}")));
    }
    assert_eq!(store.clear(&keys[0]).await.unwrap(), 2);
    for key in &keys[1..] {
        assert_eq!(store.history(key, 9).await.unwrap().len(), 1, "{key:?}");
    }
}

#[tokio::test]
async fn clearing_counts_messages_and_keeps_the_chosen_model() {
    let (folder, store) = store().await;
    let key = ConversationKey::new(HERE, UserId(1));
    assert_eq!(store.model(&key).await.unwrap(), None);
    for model in ["large", "small"] {
        store.choose_model(&key, model).await.unwrap();
    }
    for _turn in 0..3 {
        store.append(&key, &chat("forget me"), "gladly", NOW).await.unwrap();
    }
    assert_eq!(store.clear(&key).await.unwrap(), 6);
    assert_eq!(store.clear(&key).await.unwrap(), 0);
    assert_eq!(store.history(&key, 9).await.unwrap(), []);

    let store = restart(&folder, store).await;
    assert_eq!(store.model(&key).await.unwrap().as_deref(), Some("small"));
    store.close().await;
    let file = std::fs::read(folder.path().join("store.db")).unwrap();
    assert!(!file.windows(9).any(|bytes| bytes == b"forget me"), "forgotten words are still in the file");
}
