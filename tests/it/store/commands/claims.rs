//! An event is claimed once, and a number is given out once.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::join_all;

use crate::store::{NOW, Trial, on_every_engine};
use candor_core::inbound::EventId;
use candor_engine::executor::Ledger as _;

on_every_engine!(
    a_claimed_event_is_not_claimed_again_after_a_restart,
    of_many_claims_of_one_event_one_is_won,
    numbers_are_given_out_once_and_grow_over_restarts,
);

async fn a_claimed_event_is_not_claimed_again_after_a_restart(trial: Trial) {
    let store = trial.open().await;
    for event in [0, 1, u64::MAX] {
        assert!(store.claim(EventId(event), NOW).await.unwrap(), "{event}");
    }
    let store = trial.restart(store).await;
    for event in [0, 1, u64::MAX] {
        assert!(!store.claim(EventId(event), NOW).await.unwrap(), "{event}");
    }
    assert!(store.claim(EventId(2), NOW).await.unwrap());
}

async fn of_many_claims_of_one_event_one_is_won(trial: Trial) {
    let store = Arc::new(trial.open().await);
    let claims = (0..50).map(|_delivery| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.claim(EventId(7), NOW).await.unwrap() })
    });
    let won = join_all(claims).await.into_iter().filter(|won| *won.as_ref().unwrap()).count();
    assert_eq!(won, 1);
}

async fn numbers_are_given_out_once_and_grow_over_restarts(trial: Trial) {
    let store = Arc::new(trial.open().await);
    let given = (0..200).map(|_command| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.number().await.unwrap() })
    });
    let numbers: BTreeSet<_> = join_all(given).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(numbers, (1..=200).collect());

    let store = trial.restart(Arc::into_inner(store).unwrap()).await;
    let next = store.number().await.unwrap();
    assert!((201..=300).contains(&next), "{next} leaves too large a gap, or none");
    let (second, third) = (trial.open().await, store.number().await.unwrap());
    assert_eq!((second.number().await.unwrap(), third), (next + 64, next + 1), "each process has a block of its own");
}
