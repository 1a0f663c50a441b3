//! Cooldowns in the store: all of a command are taken together, by one caller alone, and they outlast a restart.

use std::sync::Arc;
use std::time::Duration;

use crate::store::trial::{commit, intent};
use crate::store::{NOW, Steps as _, Trial, on_every_engine};
use candor_core::access::{CooldownKey, CooldownKind};
use candor_core::inbound::EventId;
use candor_core::testing::ran;
use candor_engine::executor::{Beginning, Commit, Committed, CooldownStore as _, Intended, Ledger as _, Wait};

on_every_engine!(
    what_was_taken_is_not_free_until_its_time_is_over_also_after_a_restart,
    all_is_taken_or_nothing_and_the_longest_wait_is_told,
    a_run_that_began_does_not_wait_for_itself_and_takes_nothing_for_longer,
    a_run_that_took_longer_than_its_cooldown_is_stored_though_the_next_one_took_it,
    a_clock_that_was_wrong_for_a_while_keeps_nobody_waiting_for_years,
    of_many_who_ask_at_once_one_is_let_through,
    what_is_over_is_removed_a_bounded_number_at_a_time,
);

const HOUR: Duration = Duration::from_hours(1);

fn key(kind: CooldownKind, id: u64) -> CooldownKey {
    CooldownKey { kind, id, command: "/status".to_owned() }
}

fn user(id: u64) -> CooldownKey {
    key(CooldownKind::User, id)
}

async fn what_was_taken_is_not_free_until_its_time_is_over_also_after_a_restart(trial: Trial) {
    let store = trial.open().await;
    let keys = [(user(1), Duration::from_millis(1_500))];
    assert_eq!(store.take(EventId(1), &keys, NOW).await.unwrap(), Beginning::Begun);
    let until = NOW + Duration::from_millis(1_500);
    let store = trial.restart(store).await;
    for (ms, expected) in [
        (0, Beginning::Wait(Wait { key: user(1), until })),
        (1_499, Beginning::Wait(Wait { key: user(1), until })),
        (1_500, Beginning::Begun),
    ] {
        let later = NOW + Duration::from_millis(ms);
        assert_eq!(store.take(EventId(2), &keys, later).await.unwrap(), expected, "{ms} ms later");
    }
    // Whoever is not counted together does not wait.
    for (event, other) in [(3, user(2)), (4, key(CooldownKind::Guild, 1)), (5, key(CooldownKind::Global, 0))] {
        assert_eq!(store.take(EventId(event), &[(other, HOUR)], NOW).await.unwrap(), Beginning::Begun);
    }
}

async fn all_is_taken_or_nothing_and_the_longest_wait_is_told(trial: Trial) {
    let store = trial.open().await;
    store.take(EventId(1), &[(key(CooldownKind::Channel, 5), Duration::from_secs(10))], NOW).await.unwrap();
    store.take(EventId(2), &[(key(CooldownKind::Global, 0), Duration::from_secs(20))], NOW).await.unwrap();
    let all = [(user(1), HOUR), (key(CooldownKind::Channel, 5), HOUR), (key(CooldownKind::Global, 0), HOUR)];
    let expected = Beginning::Wait(Wait { key: key(CooldownKind::Global, 0), until: NOW + Duration::from_secs(20) });
    assert_eq!(store.take(EventId(3), &all, NOW).await.unwrap(), expected);
    assert_eq!(store.take(EventId(4), &[(user(1), HOUR)], NOW).await.unwrap(), Beginning::Begun, "it was left free");
}

async fn a_run_that_began_does_not_wait_for_itself_and_takes_nothing_for_longer(trial: Trial) {
    let store = trial.open().await;
    let (event, keys) = (EventId(1), vec![(user(1), HOUR)]);
    assert_eq!(store.begin(intent(event, keys.clone(), NOW)).await.unwrap(), Beginning::Begun);
    assert_eq!(store.waiting(event, &[user(1)], NOW).await.unwrap(), None);
    let later = NOW + HOUR / 2;
    let (cooldowns, intent) = (keys.clone(), Intended::Yes);
    let ended = Commit { at: later, cooldowns, intent, ..commit(event.0, ran(event.0, "tasks add"), Vec::new()) };
    assert_eq!(store.commit(ended).await.unwrap(), Committed::Committed);
    let expected = Wait { key: user(1), until: NOW + HOUR };
    assert_eq!(store.waiting(EventId(2), &[user(1)], later).await.unwrap(), Some(expected.clone()));
    assert_eq!(store.take(EventId(2), &keys, later).await.unwrap(), Beginning::Wait(expected));
}

async fn a_run_that_took_longer_than_its_cooldown_is_stored_though_the_next_one_took_it(trial: Trial) {
    let store = trial.open().await;
    let (second, keys) = (Duration::from_secs(1), vec![(user(1), Duration::from_secs(5))]);
    assert_eq!(store.begin(intent(EventId(1), keys.clone(), NOW)).await.unwrap(), Beginning::Begun);
    assert_eq!(store.begin(intent(EventId(2), keys.clone(), NOW + second * 6)).await.unwrap(), Beginning::Begun);
    for event in [1, 2] {
        let (cooldowns, intent) = (keys.clone(), Intended::Yes);
        let ended = Commit { cooldowns, intent, ..commit(event, ran(event, "tasks add"), Vec::new()) };
        assert_eq!(store.commit(ended).await.unwrap(), Committed::Committed);
    }
}

async fn a_clock_that_was_wrong_for_a_while_keeps_nobody_waiting_for_years(trial: Trial) {
    let store = trial.open().await;
    let keys = [(user(1), HOUR)];
    let years = Duration::from_hours(24 * 3_000);
    assert_eq!(store.take(EventId(1), &keys, NOW + years).await.unwrap(), Beginning::Begun);
    assert_eq!(store.take(EventId(2), &keys, NOW).await.unwrap(), Beginning::Begun);
    let expected = Beginning::Wait(Wait { key: user(1), until: NOW + HOUR });
    assert_eq!(store.take(EventId(3), &keys, NOW).await.unwrap(), expected);
}

async fn of_many_who_ask_at_once_one_is_let_through(trial: Trial) {
    let store = trial.open().await;
    let store = Arc::new(store);
    let asked: Vec<_> = (0..50)
        .map(|event| {
            let store = Arc::clone(&store);
            let keys = [(user(event), HOUR), (key(CooldownKind::Global, 0), HOUR)];
            tokio::spawn(async move { store.take(EventId(event), &keys, NOW).await.unwrap() })
        })
        .collect();
    let mut taken = 0;
    for one in asked {
        taken += usize::from(one.await.unwrap() == Beginning::Begun);
    }
    assert_eq!(taken, 1);
}

async fn what_is_over_is_removed_a_bounded_number_at_a_time(trial: Trial) {
    let store = trial.open().await;
    let second = Duration::from_secs(1);
    let many: Vec<_> = (0..150).map(|id| (user(id), second)).collect();
    store.take(EventId(1), &many, NOW).await.unwrap();
    for (event, left) in [(2, 52), (3, 2), (4, 2)] {
        let later = NOW + second * 10 * event;
        store.take(EventId(event.into()), &[(user(1_000), second), (user(1_001), second)], later).await.unwrap();
        assert_eq!(trial.numbers("SELECT count(*) FROM cooldowns").await, [left]);
    }
}
