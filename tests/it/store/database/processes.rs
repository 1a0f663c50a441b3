//! Three processes on one store: what only one may do, one does. Each handle has connections of its own, as a process
//! has.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use crate::store::trial::commit;
use crate::store::{NOW, Steps as _, Trial, on_every_engine};
use candor_core::access::{CooldownKey, CooldownKind};
use candor_core::contract::{Change, RecordChange, Records as _};
use candor_core::inbound::EventId;
use candor_core::testing::ran;
use candor_engine::executor::{Beginning, Committed, Ledger as _, StagedChange};
use candor_engine::sampler::{Sample, Samples as _};
use candor_store::Database;

on_every_engine!(
    of_three_hundred_events_delivered_to_all_each_is_committed_once,
    what_is_counted_is_counted_once,
    many_cooldowns_at_once_end,
    everybody_may_keep_samples,
);

const EVENTS: u64 = 300;

/// Three handles that were opened at the same moment, on an empty database.
async fn three(trial: &Trial) -> [Arc<Database>; 3] {
    let (first, second, third) = tokio::join!(trial.open(), trial.open(), trial.open());
    [first, second, third].map(Arc::new)
}

/// Does this with every handle for each of so many numbers, all at once, and gives the results.
async fn each_of<T: Send + 'static>(
    stores: &[Arc<Database>],
    n: u64,
    act: impl AsyncFnOnce(Arc<Database>, u64) -> T + Copy,
) -> Vec<T> {
    let acts = (1..=n).flat_map(|number| stores.iter().map(move |store| act(Arc::clone(store), number)));
    join_all(acts).await
}

async fn of_three_hundred_events_delivered_to_all_each_is_committed_once(trial: Trial) {
    let stores = three(&trial).await;
    // Each process makes a receipt of its own, each event changes a list of its own.
    let committed = each_of(&stores, EVENTS, async |store, event| {
        let receipt = ran(store.number().await.unwrap(), "tasks add");
        let id = store.reserve("tasks", &format!("guild:{event}"), 1).await;
        let Ok(id) = id else { return Committed::ClaimedBefore };
        let change = StagedChange::Record(RecordChange {
            module: "tasks".to_owned(),
            scope: format!("guild:{event}"),
            id,
            change: Change::Add { body: json!(event), limit: 1 },
        });
        store.commit(commit(event, receipt, vec![change])).await.unwrap()
    })
    .await;
    let count = |wanted| committed.iter().filter(|&committed| *committed == wanted).count() as u64;
    assert_eq!((count(Committed::Committed), count(Committed::ClaimedBefore)), (EVENTS, 2 * EVENTS));

    for store in &stores {
        assert_eq!(store.verify_chain().await.unwrap(), None, "the chain breaks");
    }
    let numbers: BTreeSet<_> = trial.numbers("SELECT number FROM receipts").await.into_iter().collect();
    assert_eq!(numbers.len() as u64, EVENTS);
    assert_eq!(trial.numbers("SELECT count(*) FROM records").await, [EVENTS.cast_signed()]);
    assert_eq!(trial.numbers("SELECT count(*) FROM claims").await, [EVENTS.cast_signed()]);
}

async fn what_is_counted_is_counted_once(trial: Trial) {
    let stores = three(&trial).await;
    let claimed = each_of(&stores, EVENTS, async |store, event| store.claim(EventId(event), NOW).await.unwrap()).await;
    assert_eq!(claimed.iter().filter(|&&claimed| claimed).count() as u64, EVENTS);

    let numbers = each_of(&stores, EVENTS, async |store, _| store.number().await.unwrap()).await;
    assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len());

    let limit = 100;
    let added = each_of(&stores, 50, async |store, n| store.add("notes", "console", &json!(n), limit).await.ok()).await;
    let ids: BTreeSet<_> = added.into_iter().flatten().collect();
    assert_eq!(ids, (1..=100).collect(), "as many as there is room for, each with a number of its own");

    let appended = each_of(&stores, 30, async |store, _| {
        store.append(&ran(store.number().await.unwrap(), "note")).await.unwrap();
    });
    appended.await;
    assert_eq!(trial.numbers("SELECT count(*) FROM receipts").await, [90]);
    assert_eq!(stores[0].verify_chain().await.unwrap(), None);
}

async fn many_cooldowns_at_once_end(trial: Trial) {
    let stores = three(&trial).await;
    let key = |kind, id| CooldownKey { kind, id, command: "/status".to_owned() };
    // Everybody wants one key that all share and some that overlap, in differing orders, and what is over is removed
    // meanwhile.
    let taken = each_of(&stores, 60, async |store, n| {
        let mut keys: Vec<_> =
            (n..n + 5).map(|id| (key(CooldownKind::User, id % 20), Duration::from_millis(1))).collect();
        keys.push((key(CooldownKind::Global, 0), Duration::from_millis(1)));
        if n % 2 == 0 {
            keys.reverse();
        }
        store.take(EventId(n), &keys, NOW + Duration::from_millis(n)).await.unwrap()
    });
    let taken = taken.await;
    assert!(taken.contains(&Beginning::Begun));

    let until = NOW + Duration::from_hours(1);
    let late = each_of(&stores, 30, async |store, n| {
        let keys = [(key(CooldownKind::Global, 0), Duration::from_secs(60))];
        store.take(EventId(1_000 + n), &keys, until).await.unwrap()
    });
    let late = late.await;
    let count = |wanted: Beginning| late.iter().filter(|&begun| *begun == wanted).count();
    // The event that took it is delivered to all three: one runs it, and the others leave it to that one.
    assert_eq!((count(Beginning::Begun), count(Beginning::ClaimedBefore)), (1, 2));
}

async fn everybody_may_keep_samples(trial: Trial) {
    let stores = three(&trial).await;
    let kept = each_of(&stores, 20, async |store, n| {
        let sample = Sample::Figures(vec![(format!("metric {}", n % 3), 1.0)]);
        store.keep(NOW + Duration::from_secs(n), &sample).await.unwrap();
    });
    kept.await;
    assert_eq!(trial.numbers("SELECT count(*) FROM samples").await, [20]);
}
