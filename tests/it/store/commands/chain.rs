//! What may be taken out of the ledger without breaking its chain, and what shows.

use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::json;

use super::ledger::{ANN, BEN, Bot, HERE, noon};
use crate::store::{Trial, on_every_engine};
use candor_core::agent::{ConversationKey, Conversations as _};
use candor_core::contract::{Records as _, personal_scope};
use candor_core::record::{Origin, Proof, ReceiptId};
use candor_engine::executor::Ledger as _;
use candor_engine::{Aging, PersonalKind, PersonalStore as _, ReceiptBook as _, Retention as _};
use candor_store::{Chain, ChainBreak, Database, ProofRange, ReceiptFilter, ReceiptKind};

on_every_engine!(
    the_chain_holds_over_what_was_removed_and_goes_on,
    refreshes_are_removed_from_between_the_others,
    the_newest_receipt_stays,
    receipts_of_both_kinds_and_answers_are_removed_when_they_are_old,
    arguments_are_taken_out_and_the_receipt_stays,
    a_checkpoint_that_was_changed_added_or_removed_shows,
    what_was_changed_stays_and_the_rest_is_removed,
    more_changed_receipts_than_are_removed_at_once_do_not_hold_up_the_rest,
    receipts_are_found_by_person_and_command_in_both_directions,
    whatever_is_removed_or_taken_out_the_chain_holds_and_any_other_change_shows,
);

const DAY: Duration = Duration::from_hours(24);

fn noon_of(day: u64) -> SystemTime {
    noon() + DAY * u32::try_from(day).unwrap()
}

/// A bot that ran one command a day, from the first day on: who called it.
async fn ran(trial: &Trial, origins: &[Origin]) -> (Bot, Vec<ReceiptId>) {
    let bot = Bot::new(trial).await;
    let mut ids = Vec::new();
    for (day, origin) in (0..).zip(origins) {
        bot.day.store(day, Ordering::Relaxed);
        let caller = if day % 2 == 0 { ANN } else { BEN };
        ids.push(bot.run_for(*origin, 1 + day, caller, HERE, "note").await.unwrap().id());
    }
    (bot, ids)
}

/// Removes everything of a kind from before a day.
async fn remove(store: &Database, kind: ReceiptKind, day: u64) -> usize {
    let mut n_removed = 0;
    loop {
        match store.remove_receipts(kind, noon_of(day), noon()).await.unwrap() {
            0 => return n_removed,
            n => n_removed += n,
        }
    }
}

/// How many receipts the chain has and how many were removed, if it holds and all are signed.
async fn whole(store: &Database) -> (u64, u64) {
    let Chain { n_receipts, n_removed, broken, is_emptied, head, n_unsigned } = store.follow_chain(None).await.unwrap();
    assert_eq!((broken, is_emptied, n_unsigned), (None, false, 0));
    assert_eq!(head, store.last_head().await.unwrap());
    (n_receipts, n_removed)
}

async fn the_chain_holds_over_what_was_removed_and_goes_on(trial: Trial) {
    let (bot, ids) = ran(&trial, &[Origin::Person; 6]).await;
    assert_eq!(remove(&bot.store, ReceiptKind::Called, 2).await, 2);
    assert_eq!(whole(&bot.store).await, (4, 2));
    assert_eq!(bot.store.find(ids[1]).await.unwrap(), None);
    assert!(bot.store.find(ids[2]).await.unwrap().is_some());

    assert_eq!(remove(&bot.store, ReceiptKind::Called, 4).await, 2);
    bot.run_for(Origin::Person, 100, ANN, HERE, "note").await.unwrap();
    assert_eq!(whole(&bot.store).await, (3, 4));
    assert_eq!(trial.numbers("SELECT count(*) FROM checkpoints").await, [1], "gaps side by side are one");
}

async fn refreshes_are_removed_from_between_the_others(trial: Trial) {
    use Origin::{Model, Person, Refresh};
    let (bot, _) = ran(&trial, &[Refresh, Person, Refresh, Refresh, Model, Refresh, Person]).await;
    assert_eq!(remove(&bot.store, ReceiptKind::Refreshed, 3).await, 2);
    assert_eq!(whole(&bot.store).await, (5, 2));
    assert_eq!(remove(&bot.store, ReceiptKind::Refreshed, 9).await, 2);
    assert_eq!(whole(&bot.store).await, (3, 4));
    assert_eq!(trial.numbers("SELECT position FROM checkpoints ORDER BY position").await, [1, 4, 6]);
    assert_eq!(remove(&bot.store, ReceiptKind::Called, 2).await, 1);
    assert_eq!(trial.numbers("SELECT position FROM checkpoints ORDER BY position").await, [4, 6]);
    assert_eq!(whole(&bot.store).await, (2, 5));
}

async fn the_newest_receipt_stays(trial: Trial) {
    let (bot, ids) = ran(&trial, &[Origin::Person, Origin::Person, Origin::Refresh]).await;
    for kind in [ReceiptKind::Refreshed, ReceiptKind::Called] {
        remove(&bot.store, kind, 1_000).await;
    }
    assert_eq!(whole(&bot.store).await, (1, 2));
    assert!(bot.store.find(ids[2]).await.unwrap().is_some());
}

async fn receipts_of_both_kinds_and_answers_are_removed_when_they_are_old(trial: Trial) {
    use Origin::{Person, Refresh};
    let (bot, ids) = ran(&trial, &[Refresh, Person, Refresh, Person, Person]).await;
    for (day, id) in (0..).zip(&ids) {
        bot.store.keep_answer(*id, "an answer", noon_of(day)).await.unwrap();
    }
    for (what, expected) in [(Aging::Refreshes, 2), (Aging::Receipts, 1), (Aging::Answers, 0), (Aging::Turns, 0)] {
        assert_eq!(bot.store.remove_old(what, noon_of(3), noon_of(9)).await.unwrap(), expected, "{what:?}");
    }
    assert_eq!(whole(&bot.store).await, (2, 3));
    assert_eq!(trial.numbers("SELECT count(*) FROM kept_answers").await, [2]);
}

async fn arguments_are_taken_out_and_the_receipt_stays(trial: Trial) {
    let (bot, ids) = ran(&trial, &[Origin::Person; 4]).await;
    assert_eq!(bot.store.take_out_arguments(noon_of(3), Some(ANN)).await.unwrap(), 2);
    assert_eq!(bot.store.take_out_arguments(noon_of(3), Some(ANN)).await.unwrap(), 0, "each once");
    for (id, has_arguments) in ids.iter().zip([false, true, false, true]) {
        let entry = bot.store.find(*id).await.unwrap().unwrap();
        assert_eq!((entry.has_arguments, entry.facts.arguments.is_empty()), (has_arguments, !has_arguments));
    }
    let left = "SELECT position FROM receipts WHERE arguments_salt IS NOT NULL ORDER BY position";
    assert_eq!(trial.numbers(left).await, [2, 4], "the salt goes with the words");
    assert_eq!(whole(&bot.store).await, (4, 0));
}

async fn a_checkpoint_that_was_changed_added_or_removed_shows(trial: Trial) {
    let (bot, ids) = ran(&trial, &[Origin::Person; 6]).await;
    remove(&bot.store, ReceiptKind::Called, 3).await;
    trial.tamper("CREATE TABLE kept AS SELECT * FROM checkpoints").await;
    let forged = Some(ChainBreak::Checkpoint(3));
    let cases = [
        ("UPDATE checkpoints SET position = 2", Some(ChainBreak::Checkpoint(2))),
        ("UPDATE checkpoints SET previous = link", forged),
        ("UPDATE checkpoints SET link = previous", forged),
        ("UPDATE checkpoints SET n_receipts = 2", forged),
        ("UPDATE checkpoints SET removed_ms = removed_ms + 1", forged),
        ("UPDATE checkpoints SET key = link", forged),
        ("UPDATE checkpoints SET signature = (SELECT signature FROM heads LIMIT 1)", forged),
        ("UPDATE checkpoints SET key = NULL, signature = NULL", forged),
        ("DELETE FROM checkpoints", Some(ChainBreak::Receipt(ids[3]))),
        // Somebody removes a receipt by hand and lets the checkpoint stand behind it, or makes one of their own.
        ("DELETE FROM receipts WHERE position = 4", Some(ChainBreak::Receipt(ids[4]))),
    ];
    let restore = "DELETE FROM checkpoints; INSERT INTO checkpoints SELECT * FROM kept";
    for (statement, broken) in cases {
        trial.tamper(statement).await;
        assert_eq!(bot.store.verify_chain().await.unwrap(), broken, "{statement}");
        trial.tamper(restore).await;
    }
    let own = "INSERT INTO checkpoints (position, previous, link, n_receipts, removed_ms, code) \
               SELECT 4, kept.link, (SELECT link FROM receipts WHERE position = 5), 1, 0, kept.code FROM kept";
    trial.tamper(&format!("{own}; DELETE FROM receipts WHERE position = 5")).await;
    assert_eq!(bot.store.verify_chain().await.unwrap(), Some(ChainBreak::Checkpoint(4)));
    trial.tamper("DELETE FROM secrets WHERE name = 'checkpoints'; DELETE FROM receipt_keys").await;
    assert_eq!(bot.store.verify_chain().await.unwrap(), forged, "without a key no checkpoint counts");
}

async fn what_was_changed_stays_and_the_rest_is_removed(trial: Trial) {
    // What is changed, and which receipts stay: itself, the one whose link it was, and the newest of all.
    let cases: [(&str, &[i64]); 4] = [
        ("UPDATE receipts SET outcome = 'refused' WHERE position = 2", &[2, 5]),
        ("UPDATE receipts SET origin = 'nobody' WHERE position = 2", &[2, 5]),
        ("UPDATE receipts SET link = digest WHERE position = 2", &[2, 3, 5]),
        ("UPDATE receipts SET outcome = 'refused' WHERE position < 4", &[1, 2, 3, 5]),
    ];
    let (bot, ids) = ran(&trial, &[Origin::Person; 5]).await;
    trial.tamper("CREATE TABLE kept AS SELECT * FROM receipts").await;
    for (change, stay) in cases {
        trial.tamper("DELETE FROM checkpoints; DELETE FROM receipts; INSERT INTO receipts SELECT * FROM kept").await;
        trial.tamper(change).await;
        let broken = ChainBreak::Receipt(ids[usize::try_from(stay[0] - 1).unwrap()]);
        assert_eq!(bot.store.verify_chain().await.unwrap(), Some(broken), "{change}");
        assert_eq!(remove(&bot.store, ReceiptKind::Called, 9).await, 5 - stay.len(), "{change}");
        let left = trial.numbers("SELECT position FROM receipts ORDER BY position").await;
        assert_eq!(left, stay, "{change}");
        assert_eq!(bot.store.verify_chain().await.unwrap(), Some(broken), "{change}");
    }
}

async fn more_changed_receipts_than_are_removed_at_once_do_not_hold_up_the_rest(trial: Trial) {
    let (bot, _) = ran(&trial, &[Origin::Person; 120]).await;
    trial.tamper("UPDATE receipts SET outcome = 'refused' WHERE position <= 110").await;
    assert_eq!(remove(&bot.store, ReceiptKind::Called, 1_000).await, 9);
    assert_eq!(trial.numbers("SELECT count(*) FROM receipts").await, [111]);
}

async fn receipts_are_found_by_person_and_command_in_both_directions(trial: Trial) {
    let (bot, ids) = ran(&trial, &[Origin::Person; 5]).await;
    let all = ReceiptFilter::default();
    let of = |user, command: &str| ReceiptFilter { user, command: Some(command.to_owned()) };
    let cases = [
        (all.clone(), 3, vec![ids[4], ids[3], ids[2]]),
        (all.clone(), 0, vec![]),
        (ReceiptFilter { user: Some(ANN), command: None }, 9, vec![ids[4], ids[2], ids[0]]),
        (of(Some(BEN), "/note"), 9, vec![ids[3], ids[1]]),
        (of(None, "/no"), 9, vec![]),
    ];
    for (filter, limit, expected) in cases {
        let found = bot.store.receipts_before(i64::MAX, &filter, limit).await.unwrap();
        let found: Vec<_> = found.into_iter().map(|stored| stored.entry.id).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
    let found = bot.store.receipts_after(2, &all, 2).await.unwrap();
    let found: Vec<_> = found.into_iter().map(|stored| (stored.position, stored.entry.id)).collect();
    assert_eq!(found, [(3, ids[2]), (4, ids[3])]);
}

/// What is done to a ledger.
#[derive(Clone, Debug)]
enum Step {
    Run(Origin),
    Remove(ReceiptKind, u64),
    TakeOut(u64),
    /// The words of this event are forgotten.
    Forget(u64),
    Clear,
    Erase,
}

/// Changes behind the store's back; `?` is a position that has a receipt, `!` the next one.
const CHANGES: [&str; 14] = [
    "UPDATE receipts SET number = number + 1000 WHERE position = ?",
    "UPDATE receipts SET command = '/noted' WHERE position = ?",
    "UPDATE receipts SET arguments = '{}' WHERE position = ?",
    "UPDATE receipts SET arguments_salt = digest WHERE position = ?",
    "UPDATE receipts SET arguments_digest = digest WHERE position = ?",
    "UPDATE receipts SET caller = caller + 1 WHERE position = ?",
    "UPDATE receipts SET started_ms = started_ms + 1 WHERE position = ?",
    "UPDATE receipts SET took_us = took_us + 1 WHERE position = ?",
    "UPDATE receipts SET outcome = 'failed' WHERE position = ?",
    "UPDATE receipts SET source_as_of_ms = 1 WHERE position = ?",
    "UPDATE receipts SET digest = link WHERE position = ?",
    "UPDATE receipts SET link = digest WHERE position = ?",
    "DELETE FROM receipts WHERE position = ?",
    "UPDATE receipts SET position = -1 WHERE position = ?; UPDATE receipts SET position = ? WHERE position = !; \
     UPDATE receipts SET position = ! WHERE position = -1",
];

async fn whatever_is_removed_or_taken_out_the_chain_holds_and_any_other_change_shows(trial: Trial) {
    let origin = prop_oneof![Just(Origin::Person), Just(Origin::Model), Just(Origin::Refresh)];
    let kind = prop_oneof![Just(ReceiptKind::Called), Just(ReceiptKind::Refreshed)];
    let step = prop_oneof![
        4 => origin.prop_map(Step::Run),
        1 => (kind, 0..30_u64).prop_map(|(kind, day)| Step::Remove(kind, day)),
        1 => (0..30_u64).prop_map(Step::TakeOut),
        1 => (0..30_u64).prop_map(Step::Forget),
        1 => prop_oneof![Just(Step::Clear), Just(Step::Erase)],
    ];
    let plan = (vec(step, 1..30), 0..CHANGES.len(), any::<proptest::sample::Index>());
    let mut runner = TestRunner::deterministic();
    let mut event = 0;
    let bot = Bot::new(&trial).await;
    for _case in 0..30 {
        let (steps, change, which) = plan.new_tree(&mut runner).unwrap().current();
        for (day, step) in (0..).zip(&steps) {
            bot.day.store(day, Ordering::Relaxed);
            match step {
                Step::Run(origin) => {
                    event += 1;
                    bot.run_for(*origin, event, ANN, HERE, "note").await.unwrap();
                }
                Step::Remove(kind, day) => drop(remove(&bot.store, *kind, *day).await),
                Step::TakeOut(day) => drop(bot.store.take_out_arguments(noon_of(*day), None).await.unwrap()),
                Step::Forget(event) => {
                    let (scope, words) = (personal_scope("guild:1", ANN), format!("words of {event}"));
                    let id = bot.store.add("memory", &scope, &json!(words), 99).await.unwrap();
                    bot.store.forget("memory", &scope, id, &words).await.unwrap();
                }
                Step::Clear => drop(bot.store.clear(&ConversationKey::new(HERE, ANN)).await.unwrap()),
                Step::Erase => {
                    let person = bot.store.person(ANN).await.unwrap();
                    bot.store.erase_part(&person, PersonalKind::Receipts).await.unwrap();
                }
            }
        }
        assert_eq!(bot.store.verify_chain().await.unwrap(), None, "{steps:?}");
        if let Some(key) = bot.store.receipt_key().await.unwrap()
            && let Ok(proof) = bot.store.prove(ProofRange::All).await
        {
            assert_eq!(Proof::verify(&proof.to_text(), key), Ok(proof), "{steps:?}");
        }

        let positions = trial.numbers("SELECT position FROM receipts ORDER BY position").await;
        // A receipt cut off at the end, or the last one moved, is all that cannot be told.
        if 1 < positions.len() {
            let at = which.index(positions.len() - 1);
            let statement = CHANGES[change].replace('?', &positions[at].to_string());
            let statement = statement.replace('!', &positions[at + 1].to_string());
            trial.tamper(&statement).await;
            assert!(bot.store.verify_chain().await.unwrap().is_some(), "{statement} after {steps:?}");
        }
        trial.tamper(&format!("{}; DELETE FROM checkpoints", trial.empty_ledger())).await;
    }
}
