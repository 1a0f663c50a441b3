//! Runs that began: written down before they do what no commit can take back, and closed if their process ends.

use std::time::Duration;

use crate::store::trial::{self, intent};
use crate::store::{NOW, Trial, on_every_engine};
use candor_core::execution::Left;
use candor_core::inbound::EventId;
use candor_core::record::Outcome;
use candor_core::testing::ran;
use candor_engine::executor::{Beginning, Commit, Committed, Intended, Intent, Ledger as _, OpenIntent};
use candor_engine::{Leases as _, LeftOpen};

on_every_engine!(
    an_intent_lasts_until_its_run_is_committed,
    an_answer_that_nobody_saw_stays_until_somebody_did,
    a_run_may_write_down_more_and_another_one_may_not,
    an_interrupted_run_is_closed_once_with_a_receipt,
    what_a_process_left_is_found_whatever_its_clock_said_and_what_a_living_one_has_is_not,
    what_cannot_be_read_is_forgotten_and_holds_up_nothing,
);

fn begun(event: u64) -> Intent {
    intent(EventId(event), Vec::new(), NOW)
}

fn commit(event: u64, intent: Intended) -> Commit {
    Commit { intent, ..trial::commit(event, ran(event, "tasks add"), Vec::new()) }
}

/// All that processes left.
fn left() -> LeftOpen {
    LeftOpen::all(NOW + Duration::from_mins(1), Duration::from_mins(2))
}

async fn an_intent_lasts_until_its_run_is_committed(trial: Trial) {
    let store = trial.open().await;
    let outside = Intent { is_outside: true, ..begun(7) };
    assert_eq!(store.begin(outside.clone()).await.unwrap(), Beginning::Begun);
    let store = trial.restart(store).await;
    let Intent { begun, is_outside, reply_to, .. } = outside;
    let open = OpenIntent { begun, is_outside, reply_to, answer: None };
    assert_eq!(store.open_intents(left()).await.unwrap(), [open]);
    assert_eq!(store.commit(commit(7, Intended::Yes)).await.unwrap(), Committed::Committed);
    assert_eq!(store.open_intents(left()).await.unwrap(), []);
    // Its event was claimed with the intent, and stays claimed.
    assert!(!store.claim(EventId(7), NOW).await.unwrap());
    assert_eq!(
        store.commit(commit(7, Intended::Yes)).await.unwrap(),
        Committed::Committed,
        "it says that it is stored"
    );
    assert_eq!(trial.numbers("SELECT number FROM receipts").await, [7]);
}

async fn an_answer_that_nobody_saw_stays_until_somebody_did(trial: Trial) {
    let store = trial.open().await;
    store.begin(Intent { reply_to: Some(vec![1, 2, 3]), ..begun(7) }).await.unwrap();
    let deferred = || commit(7, Intended::Deferred("Added 1.".to_owned()));
    assert_eq!(store.commit(deferred()).await.unwrap(), Committed::Committed);
    assert_eq!(store.commit(deferred()).await.unwrap(), Committed::Committed, "it says that it is stored");
    assert_eq!(trial.numbers("SELECT number FROM receipts").await, [7]);
    let store = trial.restart(store).await;
    let open = store.open_intents(left()).await.unwrap();
    let found: Vec<_> = open.iter().map(|open| (open.answer.as_deref(), open.reply_to.as_deref())).collect();
    assert_eq!(found, [(Some("Added 1."), Some(&[1, 2, 3][..]))]);
    store.shown(EventId(7)).await.unwrap();
    assert_eq!(store.open_intents(left()).await.unwrap(), []);
}

async fn a_run_may_write_down_more_and_another_one_may_not(trial: Trial) {
    let store = trial.open().await;
    assert_eq!(store.begin(begun(7)).await.unwrap(), Beginning::Begun);
    let more = Intent { is_outside: true, reply_to: Some(vec![9]), ..begun(7) };
    assert_eq!(store.begin(more).await.unwrap(), Beginning::Begun);
    let store = trial.restart(store).await;
    let open = store.open_intents(left()).await.unwrap();
    assert_eq!(open.iter().map(|open| open.is_outside).collect::<Vec<_>>(), [true]);

    // The same event in another process, which has another number.
    let mut other = begun(7);
    other.begun.id = begun(8).begun.id;
    assert_eq!(store.begin(other).await.unwrap(), Beginning::ClaimedBefore);
    let other = Commit { receipt: ran(8, "tasks add"), ..commit(7, Intended::Yes) };
    assert_eq!(store.commit(other).await.unwrap(), Committed::ClaimedBefore);
}

async fn an_interrupted_run_is_closed_once_with_a_receipt(trial: Trial) {
    let store = trial.open().await;
    for (event, left, outcome) in [(7, Left::Nothing, Outcome::Interrupted), (8, Left::Unknown, Outcome::Unknown)] {
        store.begin(begun(event)).await.unwrap();
        let (receipt, _) = begun(event).begun.interrupted(left);
        assert_eq!(receipt.facts().outcome, outcome);
        assert!(store.close_intent(EventId(event), Some(receipt.clone())).await.unwrap());
        assert!(!store.close_intent(EventId(event), Some(receipt)).await.unwrap(), "another process did");
        // Its own process was only slow: what it did is not stored, and it learns that.
        assert_eq!(store.commit(commit(event, Intended::Yes)).await.unwrap(), Committed::ClaimedBefore);
    }
    assert_eq!(trial.numbers("SELECT number FROM receipts ORDER BY position").await, [7, 8]);
    assert_eq!(store.verify_chain().await.unwrap(), None);
}

async fn what_a_process_left_is_found_whatever_its_clock_said_and_what_a_living_one_has_is_not(trial: Trial) {
    const LIVES: Duration = Duration::from_secs(45);
    let (first, second) = (trial.open().await, trial.open().await);
    first.lives(LIVES, NOW).await.unwrap();
    second.lives(LIVES, NOW).await.unwrap();
    // Its clock was ahead, and is set back before anybody looks.
    let ahead = NOW + Duration::from_hours(48);
    for event in [1, 2, 3] {
        first.begin(intent(EventId(event), Vec::new(), ahead)).await.unwrap();
    }
    second.begin(intent(EventId(9), Vec::new(), NOW)).await.unwrap();
    let found = async |left: LeftOpen| {
        let open = second.open_intents(left).await.unwrap();
        open.into_iter().map(|open| open.begun.event.0).collect::<Vec<_>>()
    };
    let at = |after: Duration| LeftOpen::all(NOW + after, Duration::from_mins(10));
    assert_eq!(found(at(LIVES / 2)).await, [] as [u64; 0], "both live");

    // It is killed: on a file the system frees its lock, on a server its lease ends.
    first.close().await;
    assert_eq!(found(at(LIVES)).await, [1, 2, 3]);
    assert_eq!(found(LeftOpen { after: Some(EventId(2)), ..at(LIVES) }).await, [3]);
    // Of what the second one has, which gives signs of life, a third one finds nothing.
    second.lives(LIVES, NOW + LIVES / 2).await.unwrap();
    let third = trial.open().await;
    assert_eq!(third.open_intents(at(LIVES)).await.unwrap().len(), if trial.is_a_file() { 0 } else { 3 });
}

async fn what_cannot_be_read_is_forgotten_and_holds_up_nothing(trial: Trial) {
    let store = trial.open().await;
    for event in 1..=103 {
        store.begin(begun(event)).await.unwrap();
    }
    trial.tamper("UPDATE intents SET place = 'nowhere' WHERE event <= 101").await;
    let store = trial.restart(store).await;
    let open = store.open_intents(left()).await.unwrap();
    assert_eq!(open.into_iter().map(|open| open.begun.event.0).collect::<Vec<_>>(), [102, 103]);
    assert_eq!(trial.numbers("SELECT event FROM intents ORDER BY event").await, [102, 103]);
}
