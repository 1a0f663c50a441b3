//! Secrets are made once.

use super::{Trial, on_every_engine};
use candor_engine::{KEY_LENGTH, Secrets as _};

on_every_engine!(a_key_is_made_once_under_its_name_and_outlives_the_process);

async fn a_key_is_made_once_under_its_name_and_outlives_the_process(trial: Trial) {
    let store = trial.open().await;
    let (first, other) = (store.key("a").await.unwrap(), store.key("b").await.unwrap());
    assert_eq!(first.bytes(), store.key("a").await.unwrap().bytes());
    assert_ne!(first.bytes(), other.bytes());
    assert_ne!(first.bytes(), &[0; KEY_LENGTH]);
    let store = trial.restart(store).await;
    assert_eq!(first.bytes(), store.key("a").await.unwrap().bytes());
}
