//! What a command changes is stored with its claim and its receipt, or not at all.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::store::trial;
use crate::store::{Steps as _, Trial, on_every_engine};
use candor_core::access::{CooldownKey, CooldownKind};
use candor_core::contract::{Change, RecordChange, Records as _, ServiceError};
use candor_core::inbound::EventId;
use candor_core::testing::ran;
use candor_engine::executor::{Beginning, Commit, Committed, Intended, Ledger as _, StagedChange, Wait};
use candor_store::Database;

on_every_engine!(
    a_commit_stores_everything_of_a_run,
    what_was_claimed_before_commits_nothing,
    a_commit_that_does_not_fit_leaves_nothing,
    a_commit_that_fails_leaves_nothing,
    a_cooldown_that_another_event_took_meanwhile_commits_nothing,
);

fn noon() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(1_800_000_000_123)
}

/// A commit of `/tasks add` for this event, whose receipt has the same number, with these changes.
fn commit(event: u64, changes: &[(i64, Change)]) -> Commit {
    let change = |(id, change): &(i64, Change)| {
        let (module, scope) = ("tasks".to_owned(), "guild:1".to_owned());
        StagedChange::Record(RecordChange { module, scope, id: *id, change: change.clone() })
    };
    let cooldowns = vec![(cooldown(), Duration::from_secs(60))];
    let changes = changes.iter().map(change).collect();
    Commit { at: noon(), cooldowns, ..trial::commit(event, ran(event, "tasks add"), changes) }
}

fn cooldown() -> CooldownKey {
    CooldownKey { kind: CooldownKind::User, id: 7, command: "/tasks add".to_owned() }
}

fn add(body: Value) -> Change {
    Change::Add { body, limit: 3 }
}

/// Reserves the next numbers, as runs that add so many records do.
async fn reserve(store: &Database, records: usize) {
    for _ in 0..records {
        store.reserve("tasks", "guild:1", 9).await.unwrap();
    }
}

/// What is stored of everything that a commit writes: records, receipts, claims and cooldowns.
async fn stored(trial: &Trial, store: &Database) -> (Vec<(i64, Value)>, [Vec<i64>; 3]) {
    let numbers = [
        trial.numbers("SELECT number FROM receipts ORDER BY position").await,
        trial.numbers("SELECT event FROM claims ORDER BY event").await,
        trial.numbers("SELECT event FROM cooldowns").await,
    ];
    (store.list("tasks", "guild:1").await.unwrap(), numbers)
}

async fn a_commit_stores_everything_of_a_run(trial: Trial) {
    let store = trial.open().await;
    reserve(&store, 3).await;
    let first = commit(7, &[(1, add(json!("milk"))), (2, add(json!("tea")))]);
    assert_eq!(store.commit(first).await.unwrap(), Committed::Committed);
    let expected = vec![(1, json!("milk")), (2, json!("tea"))];
    assert_eq!(stored(&trial, &store).await, (expected, [vec![7], vec![7], vec![7]]));

    // A run sees its own changes: what it added it may change again.
    let later = noon() + Duration::from_secs(60);
    let replace = Change::Replace { expected: json!("milk"), body: json!("oat milk") };
    let (remove, add_again) = (Change::Remove { expected: json!("tea") }, add(json!("cake")));
    let change_again = Change::Replace { expected: json!("cake"), body: json!("pie") };
    let changes = [(1, replace), (2, remove), (3, add_again), (3, change_again)];
    let second = Commit { at: later, ..commit(8, &changes) };
    assert_eq!(store.commit(second).await.unwrap(), Committed::Committed);
    let store = trial.restart(store).await;
    let expected = vec![(1, json!("oat milk")), (3, json!("pie"))];
    assert_eq!(stored(&trial, &store).await, (expected, [vec![7, 8], vec![7, 8], vec![8]]));
    assert_eq!(store.verify_chain().await.unwrap(), None);
    assert_eq!(store.add("tasks", "guild:1", &json!("next"), 9).await.unwrap(), 4);
}

async fn what_was_claimed_before_commits_nothing(trial: Trial) {
    let store = trial.open().await;
    reserve(&store, 2).await;
    assert_eq!(store.commit(commit(7, &[(1, add(json!("milk")))])).await.unwrap(), Committed::Committed);
    let before = stored(&trial, &store).await;
    let again = Commit { receipt: ran(99, "tasks add"), ..commit(7, &[(2, add(json!("milk")))]) };
    assert_eq!(store.commit(again).await.unwrap(), Committed::ClaimedBefore);
    assert_eq!(stored(&trial, &store).await, before);
}

async fn a_commit_that_does_not_fit_leaves_nothing(trial: Trial) {
    let store = trial.open().await;
    store.add("tasks", "guild:1", &json!("milk"), 3).await.unwrap();
    let before = stored(&trial, &store).await;
    let added = || (2, add(json!("tea")));
    let cases = [
        vec![added(), (2, add(json!("a number that is taken")))],
        vec![added(), (1, Change::Replace { expected: json!("bread"), body: json!("butter") })],
        vec![added(), (9, Change::Replace { expected: json!("milk"), body: json!("butter") })],
        vec![added(), (1, Change::Remove { expected: json!("bread") })],
        vec![added(), (9, Change::Remove { expected: json!("milk") })],
    ];
    for changes in cases {
        assert_eq!(store.commit(commit(7, &changes)).await.unwrap(), Committed::Conflict, "{changes:?}");
        assert_eq!(stored(&trial, &store).await, before, "{changes:?}");
    }
    // The event is still free, and so are the number and the cooldown.
    assert_eq!(store.commit(commit(7, &[added()])).await.unwrap(), Committed::Committed);
}

async fn a_commit_that_fails_leaves_nothing(trial: Trial) {
    let store = trial.open().await;
    for body in ["milk", "bread"] {
        store.add("tasks", "guild:1", &json!(body), 3).await.unwrap();
    }
    let before = stored(&trial, &store).await;
    // The second is one too many.
    let full = commit(7, &[(3, add(json!("tea"))), (4, add(json!("cake")))]);
    let full = store.commit(full).await.unwrap_err();
    assert!(matches!(full, ServiceError::Full(_)), "{full:?}");
    assert_eq!(stored(&trial, &store).await, before);

    // A receipt number that is taken fails at the very end.
    assert_eq!(store.commit(commit(7, &[])).await.unwrap(), Committed::Committed);
    let before = stored(&trial, &store).await;
    let doubled = Commit { event: EventId(8), cooldowns: Vec::new(), ..commit(7, &[(3, add(json!("tea")))]) };
    store.commit(doubled).await.unwrap_err();
    assert_eq!(stored(&trial, &store).await, before);
    assert_eq!(store.verify_chain().await.unwrap(), None);
}

async fn a_cooldown_that_another_event_took_meanwhile_commits_nothing(trial: Trial) {
    let store = trial.open().await;
    reserve(&store, 1).await;
    let keys = [(cooldown(), Duration::from_secs(60))];
    assert_eq!(store.take(EventId(1), &keys, noon()).await.unwrap(), Beginning::Begun);
    let before = stored(&trial, &store).await;
    let wait = Committed::Wait(Wait { key: cooldown(), until: noon() + Duration::from_secs(60) });
    assert_eq!(store.commit(commit(7, &[(1, add(json!("milk")))])).await.unwrap(), wait);
    assert_eq!(stored(&trial, &store).await, before);
    // Whoever took it itself does not wait for itself.
    let own = Commit { intent: Intended::Yes, ..commit(1, &[(1, add(json!("milk")))]) };
    assert_eq!(store.commit(own).await.unwrap(), Committed::Committed);
}
