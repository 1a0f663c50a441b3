//! What is known of the commands at Discord, over restarts.

use std::time::Duration;

use super::{NOW, Trial, on_every_engine};
use candor_core::inbound::GuildId;
use candor_core::registration::{Remembered, Scope, SyncMemory as _};

on_every_engine!(everything_is_known_after_a_restart_by_application_and_scope, the_global_scope_is_no_server,);

const APPLICATION: u64 = u64::MAX;

async fn everything_is_known_after_a_restart_by_application_and_scope(trial: Trial) {
    let store = trial.open().await;
    let scope = Scope::Guild(GuildId(u64::MAX - 1));
    assert_eq!(store.remembered(APPLICATION, scope).await.unwrap(), Remembered::default());
    store.settle(APPLICATION, scope, Some("abc")).await.unwrap();
    store.count_creates(APPLICATION, scope, 5, 3).await.unwrap();
    store.count_creates(APPLICATION, scope, 5, 4).await.unwrap();
    let (soon, later) = (NOW + Duration::from_millis(1_500), NOW + Duration::from_secs(90));
    store.stop_creates(APPLICATION, scope, soon).await.unwrap();
    store.hold(APPLICATION, scope, later).await.unwrap();

    let store = trial.restart(store).await;
    let known = Remembered {
        fingerprint: Some("abc".to_owned()),
        day: 5,
        creates: 7,
        no_creates_until: Some(soon),
        not_before: Some(later),
    };
    assert_eq!(store.remembered(APPLICATION, scope).await.unwrap(), known);
    assert_eq!(store.guilds(APPLICATION).await.unwrap(), [(GuildId(u64::MAX - 1), known.clone())]);
    for (application, scope) in [(1, scope), (APPLICATION, Scope::Global), (APPLICATION, Scope::Guild(GuildId(1)))] {
        assert_eq!(store.remembered(application, scope).await.unwrap(), Remembered::default());
    }

    // A new day begins with nothing, and what is not settled any more is nothing.
    store.count_creates(APPLICATION, scope, 6, 1).await.unwrap();
    store.settle(APPLICATION, scope, None).await.unwrap();
    let next = store.remembered(APPLICATION, scope).await.unwrap();
    assert_eq!(next, Remembered { fingerprint: None, day: 6, creates: 1, ..known });
}

async fn the_global_scope_is_no_server(trial: Trial) {
    let store = trial.open().await;
    store.settle(APPLICATION, Scope::Global, Some("abc")).await.unwrap();
    assert_eq!(store.guilds(APPLICATION).await.unwrap(), []);
}
