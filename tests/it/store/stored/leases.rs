//! Leases: one process at a time has each.

use std::time::Duration;

use super::{NOW, Trial, on_every_engine};
use candor_engine::Leases as _;

on_every_engine!(
    one_process_has_a_lease_until_it_gives_it_back_or_it_is_over,
    a_lease_that_a_wrong_clock_made_too_long_counts_for_nothing,
    of_many_who_ask_at_once_one_gets_it,
);

const MINUTE: Duration = Duration::from_mins(1);

async fn one_process_has_a_lease_until_it_gives_it_back_or_it_is_over(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    // Who takes it at which second, and whether they get it. Each takes it for a minute.
    let steps = [
        (&first, 0, true),
        (&second, 30, false),
        (&first, 50, true),
        (&second, 100, false),
        (&second, 110, true),
        (&first, 120, false),
    ];
    for (store, second, expected) in steps {
        let taken = store.take_lease("live:7", MINUTE, NOW + Duration::from_secs(second)).await.unwrap();
        assert_eq!(taken, expected, "at {second} s");
    }
    assert!(first.take_lease("live:8", MINUTE, NOW).await.unwrap(), "each name by itself");

    first.give_back_lease("live:7").await.unwrap();
    assert!(!first.take_lease("live:7", MINUTE, NOW + MINUTE * 2).await.unwrap(), "it was not the first one's");
    second.give_back_lease("live:7").await.unwrap();
    assert!(first.take_lease("live:7", MINUTE, NOW + MINUTE * 2).await.unwrap());
}

async fn a_lease_that_a_wrong_clock_made_too_long_counts_for_nothing(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    assert!(first.take_lease("samples", MINUTE, NOW + Duration::from_hours(24 * 365)).await.unwrap());
    assert!(second.take_lease("samples", MINUTE, NOW).await.unwrap());
}

async fn of_many_who_ask_at_once_one_gets_it(trial: Trial) {
    let (first, second, third) = (trial.open().await, trial.open().await, trial.open().await);
    for n in 0..20 {
        let name = format!("name {n}");
        let ask = async |store: &candor_store::Database| store.take_lease(&name, MINUTE, NOW).await.unwrap();
        let (first, second, third) = tokio::join!(ask(&first), ask(&second), ask(&third));
        assert_eq!([first, second, third].into_iter().filter(|&taken| taken).count(), 1);
    }
}
