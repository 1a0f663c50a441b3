//! Chat turns are kept whole, found again by number, message and person, and what they offer runs once.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, json};

use crate::store::chat::keep;
use crate::store::{NOW, Trial, on_every_engine};
use candor_core::agent::Turns as _;
use candor_core::inbound::{ChannelId, GuildId, Place, UserId};
use candor_core::record::{
    CallRecord, GivenPiece, KeptTurn, OfferedRun, ReplyButton, StrippedText, TurnId, TurnRecord,
};
use candor_engine::{Aging, Retention as _};

on_every_engine!(
    a_turn_reads_back_as_it_was_kept_also_after_a_restart,
    the_last_turn_is_of_this_person_in_this_place,
    the_turns_after_one_are_of_this_person_in_this_place,
    every_message_of_a_reply_leads_to_its_turn_and_keeps_leading_there,
    of_many_who_press_a_button_at_once_one_uses_it,
    old_turns_are_removed_with_their_messages_and_their_numbers_do_not_come_back,
    a_row_that_says_nothing_known_is_an_error_and_not_another_turn,
    a_record_of_an_older_or_newer_version_reads_with_what_is_known_of_it,
);

const ANN: UserId = UserId(u64::MAX);
const BEN: UserId = UserId(2);
const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(1 << 63) };
const THERE: Place = Place::Direct { channel: ChannelId(5) };

/// A record with something in every field.
fn record(model: &str) -> TurnRecord {
    TurnRecord {
        questions: vec![7, u64::MAX],
        goes_on_from: vec![9],
        model: model.to_owned(),
        tools: "text".to_owned(),
        mark: "ran /status".to_owned(),
        offered: vec!["status".to_owned(), "cannot_do".to_owned()],
        calls: vec![CallRecord {
            tool: "status".to_owned(),
            command: Some("/status".to_owned()),
            arguments: "{\"metric\":\"cpu\"}".to_owned(),
            outcome: "done".to_owned(),
            receipt: Some("3EYDH".to_owned()),
            took_ms: Some(12),
            result: "{\"cpu\":12.5}".to_owned(),
        }],
        stripped: vec![StrippedText { kind: "tool-text".to_owned(), text: "<tool_call>\n{}\u{0}\u{202e}".to_owned() }],
        corrections: 2,
        steps: 3,
        notes: vec!["the model wrote a tool call as text; it was not run".to_owned()],
        failure: Some("out-of-time".to_owned()),
        cut: Some("length".to_owned()),
        offers: vec![OfferedRun {
            command: "/memory save".to_owned(),
            arguments: Map::from_iter([("text".to_owned(), json!("likes tea"))]),
            writes: true,
        }],
        said: "I saved it.\n<tool_call>\n{}\u{0}\u{202e}".to_owned(),
        reasoning: "the person asked for it".to_owned(),
        shared: true,
        taken_out: false,
        private_of_offers: Vec::new(),
        given: vec![GivenPiece { what: "reply".to_owned(), name: "Ben".to_owned(), bytes: 120, note: String::new() }],
    }
}

async fn a_turn_reads_back_as_it_was_kept_also_after_a_restart(trial: Trial) {
    let store = trial.open().await;
    let at = NOW + Duration::from_millis(1_800_000_000_123);
    let id = keep(&store, ANN, HERE, at, &record("small")).await;
    let store = trial.restart(store).await;
    let kept = KeptTurn { id, user: ANN, place: HERE, at, record: record("small") };
    assert_eq!(store.turn(id).await.unwrap(), Some(kept));
    assert_eq!(store.turn(TurnId(id.0 + 1)).await.unwrap(), None);
}

async fn the_last_turn_is_of_this_person_in_this_place(trial: Trial) {
    let store = trial.open().await;
    let mut turns = Vec::new();
    for (user, place) in [(ANN, HERE), (ANN, HERE), (ANN, THERE), (BEN, HERE)] {
        turns.push(keep(&store, user, place, NOW, &record("small")).await);
    }
    let cases = [
        (ANN, HERE, Some(turns[1])),
        (ANN, THERE, Some(turns[2])),
        (BEN, HERE, Some(turns[3])),
        (BEN, THERE, None),
        (ANN, Place::Console, None),
    ];
    for (user, place, expected) in cases {
        let last = store.last_turn(user, place).await.unwrap();
        assert_eq!(last.map(|turn| turn.id), expected, "{user} in {place:?}");
    }
}

async fn the_turns_after_one_are_of_this_person_in_this_place(trial: Trial) {
    let store = trial.open().await;
    let mut turns = Vec::new();
    for (user, place) in [(ANN, HERE), (ANN, HERE), (ANN, THERE), (BEN, HERE), (ANN, HERE)] {
        turns.push(keep(&store, user, place, NOW, &record("small")).await);
    }
    for (after, limit, expected) in [(0, 9, [1, 4].as_slice()), (0, 1, &[1]), (1, 9, &[4]), (4, 9, &[])] {
        let after = store.turns_after(turns[after], Some(ANN), HERE, limit).await.unwrap();
        let expected: Vec<_> = expected.iter().map(|n| turns[*n]).collect();
        assert_eq!(after.iter().map(|turn| turn.id).collect::<Vec<_>>(), expected);
    }
}

async fn every_message_of_a_reply_leads_to_its_turn_and_keeps_leading_there(trial: Trial) {
    let store = trial.open().await;
    let first = keep(&store, ANN, HERE, NOW, &record("small")).await;
    let second = keep(&store, BEN, HERE, NOW, &record("large")).await;
    store.shown(first, &[1, u64::MAX]).await.unwrap();
    store.shown(second, &[7, 1]).await.unwrap();
    store.shown(second, &[]).await.unwrap();
    for (message, expected) in [(1, Some(first)), (u64::MAX, Some(first)), (7, Some(second)), (8, None), (0, None)] {
        let turn = store.turn_of_message(message).await.unwrap();
        assert_eq!(turn.map(|turn| turn.id), expected, "{message}");
    }
    // A turn that is not kept is shown by no message: all of these or none.
    assert!(store.shown(TurnId(99), &[20]).await.is_err());
    assert_eq!(store.turn_of_message(20).await.unwrap(), None);
}

async fn of_many_who_press_a_button_at_once_one_uses_it(trial: Trial) {
    const TEA: ReplyButton = ReplyButton::Offer(0);
    const MILK: ReplyButton = ReplyButton::Offer(1);
    let store = trial.open().await;
    let turn = keep(&store, ANN, HERE, NOW, &record("small")).await;
    let other = keep(&store, ANN, HERE, NOW, &record("small")).await;
    let store = Arc::new(store);
    let claims: Vec<_> = (0..30)
        .map(|_press| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.claim_button(turn, TEA).await.unwrap() })
        })
        .collect();
    let mut won = 0;
    for claim in claims {
        won += usize::from(claim.await.unwrap());
    }
    assert_eq!(won, 1);

    let store = trial.restart(Arc::into_inner(store).unwrap()).await;
    assert!(!store.claim_button(turn, TEA).await.unwrap());
    assert!(!store.claim_button(TurnId(99), TEA).await.unwrap());
    // Each button of each reply has a use of its own.
    for (turn, button) in [(turn, MILK), (turn, ReplyButton::GoOn), (other, TEA)] {
        assert!(store.claim_button(turn, button).await.unwrap(), "{turn:?} {button:?}");
    }

    // What certainly did nothing may be run again.
    store.release_button(turn, TEA).await.unwrap();
    assert!(store.claim_button(turn, TEA).await.unwrap());
    assert!(!store.claim_button(turn, TEA).await.unwrap());
}

async fn old_turns_are_removed_with_their_messages_and_their_numbers_do_not_come_back(trial: Trial) {
    let store = trial.open().await;
    let kept = async |at| keep(&store, ANN, HERE, at, &TurnRecord::default()).await;
    let later = NOW + Duration::from_hours(1);
    for number in 1..110 {
        // The last two of them are exactly as old as may be.
        let age = if number < 108 { Duration::from_millis(1) } else { Duration::ZERO };
        let turn = kept(later - age).await;
        store.shown(turn, &[1_000 + number]).await.unwrap();
    }
    for n_removed in [100, 7, 0] {
        assert_eq!(store.remove_old(Aging::Turns, later, later).await.unwrap(), n_removed, "in small parts");
    }
    assert_eq!(trial.numbers("SELECT number FROM turns ORDER BY number").await, [108, 109]);
    assert_eq!(trial.numbers("SELECT message FROM turn_messages ORDER BY message").await, [1_108, 1_109]);

    trial.tamper("DELETE FROM turns").await;
    assert_eq!(kept(later).await, TurnId(110));
}

async fn a_row_that_says_nothing_known_is_an_error_and_not_another_turn(trial: Trial) {
    let store = trial.open().await;
    for (change, column) in [
        ("UPDATE turns SET record = '{\"calls\": 7}'", "record"),
        ("UPDATE turns SET record = ''", "record"),
        ("UPDATE turns SET place = 'nowhere'", "place"),
    ] {
        let turn = keep(&store, ANN, HERE, NOW, &TurnRecord::default()).await;
        trial.tamper(change).await;
        let refused = store.turn(turn).await.unwrap_err().to_string();
        let expected = format!("a turn's {column} says nothing this program has ever written");
        assert!(refused.ends_with(&expected), "{change}: {refused}");
    }
}

async fn a_record_of_an_older_or_newer_version_reads_with_what_is_known_of_it(trial: Trial) {
    let store = trial.open().await;
    let turn = keep(&store, ANN, HERE, NOW, &TurnRecord::default()).await;
    let record = "{\"model\": \"small\", \"mood\": \"good\", \"calls\": [{\"tool\": \"status\"}]}";
    trial.tamper(&format!("UPDATE turns SET record = '{record}'")).await;
    let record = store.turn(turn).await.unwrap().unwrap().record;
    let call = CallRecord { tool: "status".to_owned(), ..CallRecord::default() };
    assert_eq!(record, TurnRecord { model: "small".to_owned(), calls: vec![call], ..TurnRecord::default() });
}
