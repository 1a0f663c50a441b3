//! Messages of modules to channels: kept with the receipt of their run over restarts, and each taken by one process.

use std::time::Duration;

use futures_util::future::join_all;

use super::{NOW, Trial, on_every_engine};
use crate::store::trial::commit;
use candor_core::contract::{
    AllowedBy, ChannelMessage, OUTBOX_MAX, OUTBOX_OF_PERSON_MAX, Outbox as _, Outgoing, ServiceError, Waiting,
};
use candor_core::inbound::{ChannelId, GuildId, UserId};
use candor_core::record::ReceiptId;
use candor_core::reply::{Field, Reply};
use candor_core::testing::ran_by;
use candor_engine::executor::{Committed, Ledger as _, StagedChange};
use candor_engine::{MessageEnd, MessageOfReceipt, OutboxStore as _, ReceiptBook as _};
use candor_store::{Database, ReceiptKind};

on_every_engine!(
    a_message_survives_a_restart_as_it_was_sent_and_is_taken_at_once,
    of_many_processes_one_takes_a_message_and_another_only_after_its_time,
    those_of_a_module_to_a_channel_are_taken_in_their_order_and_hold_up_no_others,
    what_a_clock_that_was_ahead_put_off_is_taken_now_and_holds_up_nothing,
    a_module_has_so_many_that_wait_and_no_more_and_a_commit_that_fails_keeps_none,
    one_person_has_so_many_of_a_module_that_wait_and_leaves_room_for_others,
    what_became_of_a_message_stays_with_its_receipt_and_goes_with_it_but_what_waits_is_still_sent,
);

const MINUTE: Duration = Duration::from_mins(1);

fn outgoing(module: &str, channel: u64, text: &str) -> Outgoing {
    let fields = vec![Field { name: "shop".to_owned(), value: "open".to_owned() }];
    let message = ChannelMessage::of(Reply { fields, colour: Some(7), ..Reply::text(text).titled("News") }).unwrap();
    Outgoing { module: module.to_owned(), channel: ChannelId(channel), allowed_by: AllowedBy::Operator, message }
}

/// Commits a run of this number that sends these.
async fn sent(store: &Database, number: u64, messages: &[Outgoing]) -> Result<Committed, ServiceError> {
    sent_by(UserId(7), store, number, messages).await
}

/// The same of this person.
async fn sent_by(
    person: UserId,
    store: &Database,
    number: u64,
    messages: &[Outgoing],
) -> Result<Committed, ServiceError> {
    let changes = messages.iter().map(|message| StagedChange::Message(Box::new(message.clone()))).collect();
    store.commit(commit(number, ran_by(number, "news", person), changes)).await
}

async fn a_message_survives_a_restart_as_it_was_sent_and_is_taken_at_once(trial: Trial) {
    let store = trial.open().await;
    let allowed_by = AllowedBy::Guild(GuildId(u64::MAX));
    let message = Outgoing { allowed_by, ..outgoing("news", u64::MAX >> 1, "-# ✓ /status ran") };
    assert_eq!(sent(&store, 1, std::slice::from_ref(&message)).await.unwrap(), Committed::Committed);
    // The same once more: whoever lost the answer of the server asks again.
    assert_eq!(sent(&store, 1, std::slice::from_ref(&message)).await.unwrap(), Committed::Committed);
    store.close().await;

    let store = trial.open().await;
    assert_eq!(store.next_message(NOW).await.unwrap(), Some(NOW));
    let taken = store.take_message(NOW, MINUTE).await.unwrap().unwrap();
    assert_eq!((taken.tries, taken.receipt, taken.at), (1, ReceiptId::from_number(1), NOW));
    assert_eq!(taken.outgoing, message);
    assert_eq!(store.take_message(NOW, MINUTE).await.unwrap(), None);
    assert_eq!(store.next_message(NOW).await.unwrap(), Some(NOW + MINUTE));
    store.put_off(&taken, NOW + MINUTE * 5).await.unwrap();
    assert_eq!(store.take_message(NOW + MINUTE * 4, MINUTE).await.unwrap(), None);
    let again = store.take_message(NOW + MINUTE * 5, MINUTE).await.unwrap().unwrap();
    assert_eq!((again.id, again.tries), (taken.id, 2));
    store.message_is_over(&again, MessageEnd::Sent).await.unwrap();
    store.put_off(&again, NOW).await.unwrap();
    assert_eq!(store.next_message(NOW).await.unwrap(), None);
}

async fn of_many_processes_one_takes_a_message_and_another_only_after_its_time(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    sent(&first, 1, &[outgoing("news", 5, "a")]).await.unwrap();
    let all = (0..8).map(|n| if n % 2 == 0 { &first } else { &second }.take_message(NOW, MINUTE));
    let taken: Vec<_> = join_all(all).await.into_iter().filter_map(Result::unwrap).collect();
    assert_eq!(taken.len(), 1);

    // Whoever had it ended in the middle of it.
    assert_eq!(second.take_message(NOW + MINUTE / 2, MINUTE).await.unwrap(), None);
    let again = second.take_message(NOW + MINUTE, MINUTE).await.unwrap().unwrap();
    assert_eq!((again.id, again.tries), (taken[0].id, 2));

    // It had not: what it says of the message counts no more.
    first.put_off(&taken[0], NOW).await.unwrap();
    first.message_is_over(&taken[0], MessageEnd::GivenUp).await.unwrap();
    assert_eq!(second.next_message(NOW).await.unwrap(), Some(NOW + MINUTE * 2));
    second.message_is_over(&again, MessageEnd::Sent).await.unwrap();
    let ends = second.messages(ReceiptId::from_number(1)).await.unwrap();
    assert_eq!(ends, [MessageOfReceipt { channel: ChannelId(5), end: Some(MessageEnd::Sent) }]);
}

async fn those_of_a_module_to_a_channel_are_taken_in_their_order_and_hold_up_no_others(trial: Trial) {
    let store = trial.open().await;
    let messages = [("news", 5, "first"), ("news", 5, "second"), ("news", 6, "there"), ("feed", 5, "other")];
    sent(&store, 1, &messages.map(|(module, channel, text)| outgoing(module, channel, text))).await.unwrap();
    let mut taken = Vec::new();
    while let Some(message) = store.take_message(NOW, MINUTE).await.unwrap() {
        taken.push(message);
    }
    let texts: Vec<_> = taken.iter().map(|taken| taken.outgoing.message.reply().text.as_str()).collect();
    assert_eq!(texts, ["first", "there", "other"]);
    assert_eq!(store.next_message(NOW).await.unwrap(), Some(NOW + MINUTE), "the second waits for the first");
    store.message_is_over(&taken[0], MessageEnd::GivenUp).await.unwrap();
    let second = store.take_message(NOW, MINUTE).await.unwrap().unwrap();
    assert_eq!(second.outgoing.message.reply().text, "second");
}

async fn what_a_clock_that_was_ahead_put_off_is_taken_now_and_holds_up_nothing(trial: Trial) {
    let store = trial.open().await;
    sent(&store, 1, &[outgoing("news", 5, "first"), outgoing("news", 5, "second")]).await.unwrap();
    let first = store.take_message(NOW, MINUTE).await.unwrap().unwrap();
    store.put_off(&first, NOW + MINUTE * 60).await.unwrap();
    assert_eq!(store.next_message(NOW).await.unwrap(), Some(NOW + MINUTE * 60), "a pause may be so long");
    assert_eq!(store.take_message(NOW, MINUTE).await.unwrap(), None);

    // No pause is longer.
    store.put_off(&first, NOW + MINUTE * 61).await.unwrap();
    assert_eq!(store.next_message(NOW).await.unwrap(), Some(NOW));
    let again = store.take_message(NOW, MINUTE).await.unwrap().unwrap();
    assert_eq!((again.id, again.tries), (first.id, 2));
    assert_eq!(store.take_message(NOW, MINUTE).await.unwrap(), None, "it is lent to one");
    store.message_is_over(&again, MessageEnd::Sent).await.unwrap();
    let second = store.take_message(NOW, MINUTE).await.unwrap().unwrap();
    assert_eq!(second.outgoing.message.reply().text, "second");
}

/// What waits of a module: all, to the channel 5, and of this person.
async fn of_news(store: &Database, person: u64) -> Waiting {
    store.count_waiting("news", ChannelId(5), UserId(person)).await.unwrap()
}

async fn a_module_has_so_many_that_wait_and_no_more_and_a_commit_that_fails_keeps_none(trial: Trial) {
    let store = trial.open().await;
    // Of many servers, and of nobody: one after the other takes a channel's room.
    for n in 0..OUTBOX_MAX as u64 - 1 {
        let messages = [outgoing("news", 1_000 + n / 50, "a")];
        sent_by(UserId::NOBODY, &store, 1_000 + n, &messages).await.unwrap();
    }
    let full = sent_by(UserId::NOBODY, &store, 9, &[outgoing("news", 1_000, "a")]).await.unwrap_err().to_string();
    assert!(full.contains("50 messages of one module to one channel wait"), "{full}");
    assert_eq!(of_news(&store, 7).await.of_module, OUTBOX_MAX - 1);
    let two = [outgoing("news", 5, "b"), outgoing("news", 5, "c")];
    assert!(matches!(sent(&store, 2, &two).await, Err(ServiceError::Full(_))));
    assert_eq!(of_news(&store, 7).await.of_module, OUTBOX_MAX - 1);
    assert_eq!(store.find(ReceiptId::from_number(2)).await.unwrap(), None);
    sent(&store, 2, &two[..1]).await.unwrap();
    sent(&store, 3, &[outgoing("feed", 5, "of another module")]).await.unwrap();
    let first = store.take_message(NOW, MINUTE).await.unwrap().unwrap();
    store.message_is_over(&first, MessageEnd::Sent).await.unwrap();
    sent(&store, 4, &two[1..]).await.unwrap();
}

async fn one_person_has_so_many_of_a_module_that_wait_and_leaves_room_for_others(trial: Trial) {
    let store = trial.open().await;
    sent(&store, 1, &vec![outgoing("news", 5, "a"); OUTBOX_OF_PERSON_MAX]).await.unwrap();
    let one = [outgoing("news", 5, "b")];
    let refused = sent(&store, 2, &one).await.unwrap_err().to_string();
    assert!(refused.contains("20 messages of one person and module wait"), "{refused}");
    let [mine, theirs] = [of_news(&store, 7).await, of_news(&store, 8).await];
    assert_eq!(mine, Waiting { of_module: 20, in_channel: 20, of_person: 20 });
    assert_eq!(theirs, Waiting { of_person: 0, ..mine });

    sent_by(UserId(8), &store, 3, &one).await.unwrap();
    sent(&store, 4, &[outgoing("feed", 5, "of another module")]).await.unwrap();
    let first = store.take_message(NOW, MINUTE).await.unwrap().unwrap();
    store.message_is_over(&first, MessageEnd::Sent).await.unwrap();
    sent(&store, 5, &one).await.unwrap();
}

async fn what_became_of_a_message_stays_with_its_receipt_and_goes_with_it_but_what_waits_is_still_sent(trial: Trial) {
    let store = trial.open().await;
    sent(&store, 1, &[outgoing("news", 5, "a"), outgoing("news", 6, "b"), outgoing("news", 7, "c")]).await.unwrap();
    sent(&store, 2, &[]).await.unwrap();
    for end in [MessageEnd::Sent, MessageEnd::GivenUp] {
        let taken = store.take_message(NOW, MINUTE).await.unwrap().unwrap();
        store.message_is_over(&taken, end).await.unwrap();
    }
    let expected = [(5, Some(MessageEnd::Sent)), (6, Some(MessageEnd::GivenUp)), (7, None)];
    let expected = expected.map(|(channel, end)| MessageOfReceipt { channel: ChannelId(channel), end });
    assert_eq!(store.messages(ReceiptId::from_number(1)).await.unwrap(), expected);
    assert!(!trial.dump().await["outbox"].iter().any(|row| row.contains("\"a\"")), "words of what is over are kept");

    assert_eq!(store.remove_receipts(ReceiptKind::Called, NOW + MINUTE, NOW + MINUTE).await.unwrap(), 1);
    assert_eq!(store.messages(ReceiptId::from_number(1)).await.unwrap(), expected[2..]);
    let waits = store.take_message(NOW, MINUTE).await.unwrap().unwrap();
    assert_eq!(waits.outgoing, outgoing("news", 7, "c"));
    store.message_is_over(&waits, MessageEnd::Sent).await.unwrap();
    assert_eq!(store.messages(ReceiptId::from_number(1)).await.unwrap(), []);
    assert!(trial.dump().await["outbox"].is_empty());
}
