//! Conversations are kept, kept apart, and forgotten.

use std::time::Duration;

use futures_util::future::join_all;

use crate::store::chat::{append, keep};
use crate::store::{NOW, Trial, on_every_engine};
use candor_core::agent::{ConversationKey, Conversations as _, Exchange, Turns as _};
use candor_core::inbound::{ChannelId, GuildId, Place, UserId};
use candor_core::record::TurnRecord;
use candor_core::testing::chat;
use candor_engine::{Aging, PersonalKind, PersonalStore as _, Retention as _};

on_every_engine!(
    the_newest_exchanges_come_back_oldest_first_also_after_a_restart,
    what_no_text_may_hold_is_shown_as_unreadable,
    conversations_never_cross,
    clearing_counts_messages_and_keeps_the_chosen_model,
    a_conversation_keeps_its_newest_exchanges_and_old_ones_go_in_parts,
    a_turn_keeps_nothing_once_its_conversation_was_cleared_or_erased_by_any_process,
    of_a_turn_that_ends_while_its_conversation_is_cleared_nothing_is_left,
    what_three_processes_keep_of_one_conversation_at_once_is_all_there_once,
);

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

fn exchange(said: &str, answered: &str) -> Exchange {
    Exchange::new(&chat(said), answered)
}

async fn the_newest_exchanges_come_back_oldest_first_also_after_a_restart(trial: Trial) {
    let store = trial.open().await;
    let key = ConversationKey::new(HERE, UserId(1));
    for turn in 1..=4 {
        append(&store, &key, &chat(&format!("question {turn}")), &format!("answer {turn}"), NOW).await;
    }
    let store = trial.restart(store).await;
    let newest = [exchange("question 3", "answer 3"), exchange("question 4", "answer 4")];
    assert_eq!(store.history(&key, 2).await.unwrap(), newest);
    assert_eq!(store.history(&key, 0).await.unwrap(), []);
    assert_eq!(store.history(&key, usize::MAX).await.unwrap().len(), 4);
    assert_eq!(store.n_exchanges(&key).await.unwrap(), 4);
}

async fn what_no_text_may_hold_is_shown_as_unreadable(trial: Trial) {
    let store = trial.open().await;
    let key = ConversationKey::new(HERE, UserId(1));
    append(&store, &key, &chat("a question"), "nothing \0 here", NOW).await;
    assert_eq!(store.history(&key, 1).await.unwrap(), [exchange("a question", "nothing \u{fffd} here")]);
}

async fn conversations_never_cross(trial: Trial) {
    let store = trial.open().await;
    let elsewhere = Place::Guild { guild: GuildId(1), channel: ChannelId(3) };
    let keys = [
        ConversationKey::new(HERE, UserId(1)),
        ConversationKey::new(HERE, UserId(2)),
        ConversationKey::new(elsewhere, UserId(1)),
        ConversationKey::new(Place::Direct { channel: ChannelId(2) }, UserId(1)),
        ConversationKey::new(Place::Console, UserId(0)),
    ];
    for (number, key) in keys.iter().enumerate() {
        append(&store, key, &chat(&format!("secret {number}")), "noted", NOW).await;
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

async fn clearing_counts_messages_and_keeps_the_chosen_model(trial: Trial) {
    let store = trial.open().await;
    let key = ConversationKey::new(HERE, UserId(1));
    assert_eq!(store.model(&key).await.unwrap(), None);
    for model in ["large", "small"] {
        store.choose_model(&key, model).await.unwrap();
    }
    for _turn in 0..3 {
        append(&store, &key, &chat("forget me"), "gladly", NOW).await;
    }
    assert_eq!(store.clear(&key).await.unwrap(), 6);
    assert_eq!(store.clear(&key).await.unwrap(), 0);
    assert_eq!(store.history(&key, 9).await.unwrap(), []);

    let store = trial.restart(store).await;
    assert_eq!(store.model(&key).await.unwrap().as_deref(), Some("small"));
    store.close().await;
    if trial.is_a_file() {
        let file = std::fs::read(trial.file()).unwrap();
        assert!(!file.windows(9).any(|bytes| bytes == b"forget me"), "forgotten words are still in the file");
    }
}

async fn a_conversation_keeps_its_newest_exchanges_and_old_ones_go_in_parts(trial: Trial) {
    let store = trial.open().await;
    let keys = [1, 2].map(|user| ConversationKey::new(HERE, UserId(user)));
    append(&store, &keys[1], &chat("question 0"), "answer", NOW + Duration::from_hours(1)).await;
    for turn in 1..=203 {
        append(&store, &keys[0], &chat(&format!("question {turn}")), "answer", NOW).await;
    }
    let kept = store.history(&keys[0], usize::MAX).await.unwrap();
    assert_eq!((kept.len(), &kept[0]), (200, &exchange("question 4", "answer")));

    let later = NOW + Duration::from_hours(1);
    for n_removed in [100, 100, 0] {
        assert_eq!(store.remove_old(Aging::Exchanges, later, later).await.unwrap(), n_removed);
    }
    assert_eq!(store.n_exchanges(&keys[0]).await.unwrap(), 0);
    assert_eq!(store.n_exchanges(&keys[1]).await.unwrap(), 1, "what is not old stays");
}

async fn a_turn_keeps_nothing_once_its_conversation_was_cleared_or_erased_by_any_process(trial: Trial) {
    let (store, other) = (trial.open().await, trial.open().await);
    let (user, elsewhere) = (UserId(1), Place::Direct { channel: ChannelId(9) });
    let key = ConversationKey::new(HERE, user);
    for is_erased in [false, true] {
        let begun = store.generation(&key).await.unwrap();
        assert_eq!(other.generation(&key).await.unwrap(), begun, "one for all processes");
        append(&store, &ConversationKey::new(elsewhere, user), &chat("elsewhere"), "noted", NOW).await;
        match is_erased {
            false => drop(other.clear(&key).await.unwrap()),
            true => {
                let person = other.person(user).await.unwrap();
                for kind in [PersonalKind::Turns, PersonalKind::Conversations] {
                    while other.erase_part(&person, kind).await.unwrap() != 0 {}
                }
            }
        }
        // Also once the next turn has begun.
        for _ in 0..2 {
            assert!(!store.append(&key, begun, &chat("forget me"), "gladly", NOW).await.unwrap());
            let record = TurnRecord::default();
            assert_eq!(store.keep(user, HERE, begun, NOW, &record).await.unwrap(), None);
            append(&store, &key, &chat("a question"), "an answer", NOW).await;
            keep(&store, user, HERE, NOW, &record).await;
        }
        assert_eq!(store.history(&key, 9).await.unwrap().len(), 2);
        let n_elsewhere = store.n_exchanges(&ConversationKey::new(elsewhere, user)).await.unwrap();
        assert_eq!(n_elsewhere == 0, is_erased);
        other.clear(&key).await.unwrap();
    }
}

async fn of_a_turn_that_ends_while_its_conversation_is_cleared_nothing_is_left(trial: Trial) {
    let (store, other) = (trial.open().await, trial.open().await);
    let key = ConversationKey::new(HERE, UserId(1));
    for _ in 0..20 {
        let begun = store.generation(&key).await.unwrap();
        let words = chat("forget me");
        let (kept, cleared) = tokio::join!(store.append(&key, begun, &words, "gladly", NOW), other.clear(&key));
        // Whichever came first.
        assert_eq!(cleared.unwrap() == 2, kept.unwrap());
        assert_eq!(store.n_exchanges(&key).await.unwrap(), 0);
    }
}

async fn what_three_processes_keep_of_one_conversation_at_once_is_all_there_once(trial: Trial) {
    let stores = join_all([trial.open(), trial.open(), trial.open()]).await;
    let key = ConversationKey::new(HERE, UserId(1));
    let begun = join_all(stores.iter().map(|store| store.generation(&key))).await.into_iter().map(Result::unwrap);
    let begun: Vec<_> = begun.collect();
    assert!(begun.iter().all(|other| *other == begun[0]), "{begun:?}");
    let questions: Vec<_> = (0..90).map(|n| chat(&format!("question {n}"))).collect();
    let kept = questions.iter().zip(stores.iter().cycle());
    let kept = kept.map(|(question, store)| store.append(&key, begun[0], question, "answer", NOW));
    assert!(join_all(kept).await.into_iter().all(Result::unwrap));

    let mut histories = Vec::new();
    for store in &stores {
        histories.push(store.history(&key, usize::MAX).await.unwrap());
    }
    assert!(histories.iter().all(|other| *other == histories[0]));
    for question in &questions {
        let asked = Exchange::new(question, "answer");
        assert_eq!(histories[0].iter().filter(|kept| **kept == asked).count(), 1, "{asked:?}");
    }

    // One clears it: what a turn of another one has to say behind that is nowhere.
    assert_eq!(stores[1].clear(&key).await.unwrap(), 180);
    for store in &stores {
        assert!(!store.append(&key, begun[0], &questions[0], "answer", NOW).await.unwrap());
    }
    assert_eq!(stores[2].n_exchanges(&key).await.unwrap(), 0);
}
