//! The modules' records, also against a map in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Trial, on_every_engine};
use candor_core::contract::{RecordId, Records as _, ServiceError, personal_scope};
use candor_core::inbound::UserId;

on_every_engine!(
    ids_stay_valid_and_are_not_given_out_again_across_restarts,
    modules_and_scopes_see_only_their_own,
    what_people_keep_of_one_thing_is_listed_and_nothing_else,
    a_full_scope_says_so_and_takes_more_when_one_is_gone,
    what_somebody_else_changed_is_not_overwritten,
    many_adds_at_once_get_an_id_each,
);

const NO_LIMIT: usize = usize::MAX;

async fn ids_stay_valid_and_are_not_given_out_again_across_restarts(trial: Trial) {
    let store = trial.open().await;
    for body in ["first", "second", "third"] {
        store.add("notes", "guild:1", &json!(body), NO_LIMIT).await.unwrap();
    }
    assert_eq!(store.remove("notes", "guild:1", 3).await.unwrap(), Some(json!("third")));

    let store = trial.restart(store).await;
    assert_eq!(store.get("notes", "guild:1", 2).await.unwrap(), Some(json!("second")));
    assert_eq!(store.get("notes", "guild:1", 3).await.unwrap(), None);
    assert_eq!(store.add("notes", "guild:1", &json!("fourth"), NO_LIMIT).await.unwrap(), 4);
    assert_eq!(
        store.list("notes", "guild:1").await.unwrap(),
        [(1, json!("first")), (2, json!("second")), (4, json!("fourth"))]
    );
}

async fn modules_and_scopes_see_only_their_own(trial: Trial) {
    let store = trial.open().await;
    store.add("notes", "guild:1", &json!("mine"), NO_LIMIT).await.unwrap();
    for (module, scope) in [("notes", "guild:2"), ("tasks", "guild:1")] {
        assert_eq!(store.list(module, scope).await.unwrap(), []);
        assert_eq!(store.get(module, scope, 1).await.unwrap(), None);
        assert_eq!(store.remove(module, scope, 1).await.unwrap(), None);
        assert!(!store.replace(module, scope, 1, &json!("mine"), &json!("yours")).await.unwrap());
        assert_eq!(store.add(module, scope, &json!("own"), NO_LIMIT).await.unwrap(), 1);
    }
    assert_eq!(store.list("notes", "guild:1").await.unwrap(), [(1, json!("mine"))]);
}

async fn what_people_keep_of_one_thing_is_listed_and_nothing_else(trial: Trial) {
    let store = trial.open().await;
    let thing = "guild:1/thing:1";
    let people = [1, 25, u64::MAX];
    for user in people {
        store.add("poll", &personal_scope(thing, UserId(user)), &json!({ "answer": user }), NO_LIMIT).await.unwrap();
    }
    let others = ["guild:1/thing:1", "guild:1/thing:12", "guild:11/thing:1", "guild:1", "guild:1/thing:1/x"];
    for scope in others {
        store.add("poll", scope, &json!("a thing"), NO_LIMIT).await.unwrap();
        if scope != thing {
            store.add("poll", &personal_scope(scope, UserId(25)), &json!("of another"), NO_LIMIT).await.unwrap();
        }
    }
    store.add("tasks", &personal_scope(thing, UserId(25)), &json!("of another module"), NO_LIMIT).await.unwrap();
    let mut listed = store.list_of_people("poll", thing, 9).await.unwrap();
    listed.sort_by_key(|record| record.body["answer"].as_u64());
    let listed: Vec<_> = listed.into_iter().map(|record| (record.scope, record.id, record.body)).collect();
    let expected = people.map(|user| (personal_scope(thing, UserId(user)), 1, json!({ "answer": user })));
    assert_eq!(listed, expected);
    assert_eq!(store.list_of_people("poll", thing, 2).await.unwrap().len(), 2);
}

async fn a_full_scope_says_so_and_takes_more_when_one_is_gone(trial: Trial) {
    let store = trial.open().await;
    for _record in 0..2 {
        store.add("notes", "console", &json!({}), 2).await.unwrap();
    }
    let full = store.add("notes", "console", &json!({}), 2).await.unwrap_err();
    assert!(matches!(full, ServiceError::Full(_)), "{full:?}");
    assert_eq!(full.to_string(), "`notes` keeps 2 records here, and 2 is the most it may keep");
    store.add("notes", "elsewhere", &json!({}), 2).await.unwrap();

    store.remove("notes", "console", 1).await.unwrap();
    assert_eq!(store.add("notes", "console", &json!({}), 2).await.unwrap(), 3);
}

async fn what_somebody_else_changed_is_not_overwritten(trial: Trial) {
    let store = trial.open().await;
    let (old, new) = (json!({"a": 1, "b": [null, "ü"]}), json!({"a": 2}));
    let id = store.add("notes", "console", &old, NO_LIMIT).await.unwrap();
    let same: Value = serde_json::from_str(r#"{"b":[null,"\u00fc"],"a":1}"#).unwrap();
    assert!(store.replace("notes", "console", id, &same, &new).await.unwrap());
    assert!(!store.replace("notes", "console", id, &old, &json!("late")).await.unwrap());
    assert_eq!(store.get("notes", "console", id).await.unwrap(), Some(new));
}

async fn many_adds_at_once_get_an_id_each(trial: Trial) {
    let store = trial.open().await;
    let store = Arc::new(store);
    let adds: Vec<_> = (0..50)
        .map(|number| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.add("notes", "console", &json!(number), NO_LIMIT).await.unwrap() })
        })
        .collect();
    let mut ids = Vec::new();
    for add in adds {
        ids.push(add.await.unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, (1..=50).collect::<Vec<_>>());
}

/// One call on the records of one of a few scopes.
#[derive(Clone, Debug)]
enum Step {
    Add(Value),
    Get(RecordId),
    Replace(RecordId, Value, Value),
    Remove(RecordId),
    Restart,
}

const LIMIT: usize = 4;

fn step() -> impl Strategy<Value = (&'static str, &'static str, Step)> {
    let body = || prop_oneof![Just(json!(null)), (0..3).prop_map(|number| json!({ "n": number }))];
    let id = || 0..8_i64;
    let step = prop_oneof![
        4 => body().prop_map(Step::Add),
        2 => id().prop_map(Step::Get),
        2 => (id(), body(), body()).prop_map(|(id, expected, body)| Step::Replace(id, expected, body)),
        2 => id().prop_map(Step::Remove),
        1 => Just(Step::Restart),
    ];
    (prop_oneof![Just("notes"), Just("tasks")], prop_oneof![Just("guild:1"), Just("console")], step)
}

/// What the records must be, in memory.
#[derive(Default)]
struct Scope {
    last_id: RecordId,
    records: BTreeMap<RecordId, Value>,
}

async fn follow(trial: Trial, steps: Vec<(&'static str, &'static str, Step)>) {
    let mut store = trial.open().await;
    let mut expected: BTreeMap<(&str, &str), Scope> = BTreeMap::new();
    for (module, scope, step) in steps {
        let model = expected.entry((module, scope)).or_default();
        match step {
            Step::Add(body) => match store.add(module, scope, &body, LIMIT).await {
                Ok(id) => {
                    model.last_id += 1;
                    assert_eq!(id, model.last_id);
                    model.records.insert(id, body);
                    assert!(model.records.len() <= LIMIT);
                }
                Err(ServiceError::Full(_)) => assert_eq!(model.records.len(), LIMIT),
                Err(other) => panic!("{other}"),
            },
            Step::Get(id) => {
                assert_eq!(store.get(module, scope, id).await.unwrap().as_ref(), model.records.get(&id));
            }
            Step::Replace(id, old, new) => {
                let fits = model.records.get(&id) == Some(&old);
                assert_eq!(store.replace(module, scope, id, &old, &new).await.unwrap(), fits);
                if fits {
                    model.records.insert(id, new);
                }
            }
            Step::Remove(id) => {
                assert_eq!(store.remove(module, scope, id).await.unwrap(), model.records.remove(&id));
            }
            Step::Restart => store = trial.restart(store).await,
        }
    }
    for ((module, scope), model) in expected {
        let kept = store.list(module, scope).await.unwrap();
        assert_eq!(kept, model.records.into_iter().collect::<Vec<_>>());
    }
    store.close().await;
}

/// Follows any steps, on the engine that this gives a trial of.
fn follow_any(trial: impl AsyncFn() -> Option<Trial>) {
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(steps in vec(step(), 1..40))| {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            if let Some(trial) = trial().await {
                follow(trial, steps).await;
            }
        });
    });
}

#[test]
fn records_do_what_a_map_in_memory_does_on_sqlite() {
    follow_any(async || Some(Trial::on_sqlite()));
}

#[test]
fn records_do_what_a_map_in_memory_does_on_postgres() {
    follow_any(Trial::on_postgres);
}
