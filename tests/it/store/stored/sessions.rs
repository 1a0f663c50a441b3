//! Gateway sessions: the next process takes those of processes that have ended, once.

use std::time::Duration;

use super::{NOW, Trial, on_every_engine};
use candor_core::inbound::UserId;
use candor_engine::{Leases as _, SESSION_AGE_MAX, SavedSession, SavedSessions, SessionStore as _};

on_every_engine!(
    a_session_is_taken_once_after_its_process_has_left,
    a_session_of_a_living_process_is_not_taken,
    a_session_that_is_old_or_of_another_identity_is_not_taken,
);

fn saved(id: &str) -> SavedSessions {
    let url = Some("wss://gateway.discord.gg".to_owned());
    let session = SavedSession { shard: 0, id: id.to_owned(), url, sequence: 7, bot: UserId(u64::MAX) };
    SavedSessions { shards: vec![session], lag_ms: Some(-30) }
}

async fn a_session_is_taken_once_after_its_process_has_left(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    first.save_sessions("app", saved("old"), NOW, false).await.unwrap();
    first.save_sessions("app", saved("new"), NOW, true).await.unwrap();
    assert_eq!(second.take_sessions("app", NOW).await.unwrap(), saved("new"));
    assert_eq!(second.take_sessions("app", NOW).await.unwrap(), SavedSessions::default());
    // Two processes that leave: the newest session of a shard counts.
    first.save_sessions("app", saved("a"), NOW, true).await.unwrap();
    second.save_sessions("app", saved("b"), NOW + Duration::from_secs(1), true).await.unwrap();
    assert_eq!(first.take_sessions("app", NOW).await.unwrap(), saved("b"));
}

async fn a_session_of_a_living_process_is_not_taken(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    first.lives(Duration::from_secs(45), NOW).await.unwrap();
    first.save_sessions("app", saved("of the first"), NOW, false).await.unwrap();
    assert_eq!(second.take_sessions("app", NOW).await.unwrap(), SavedSessions::default());
}

async fn a_session_that_is_old_or_of_another_identity_is_not_taken(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    first.save_sessions("app", saved("it"), NOW, true).await.unwrap();
    assert_eq!(second.take_sessions("other", NOW).await.unwrap(), SavedSessions::default());
    let later = NOW + SESSION_AGE_MAX + Duration::from_secs(1);
    assert_eq!(second.take_sessions("app", later).await.unwrap(), SavedSessions::default());
}
