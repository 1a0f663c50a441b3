//! Chat replies that are being written, and those that a process left in the middle.

use std::time::Duration;

use crate::store::{NOW, Trial, on_every_engine};
use candor::host::{OpenReplies as _, OpenReply};
use candor_core::inbound::{ChannelId, EventId};
use candor_core::language::Language;

on_every_engine!(a_reply_is_open_with_its_messages_until_it_is_over);

async fn a_reply_is_open_with_its_messages_until_it_is_over(trial: Trial) {
    let store = trial.open().await;
    let open = |event| OpenReply {
        event: EventId(event),
        channel: ChannelId(u64::MAX),
        question: event,
        messages: Vec::new(),
        began: NOW + Duration::from_secs(event),
        language: Language::of_locale("de").unwrap(),
    };
    for event in [1, 2, 3] {
        store.reply_begins(&open(event)).await.unwrap();
    }
    for message in [11, u64::MAX] {
        store.reply_shows(EventId(1), message).await.unwrap();
    }
    store.reply_is_over(EventId(2)).await.unwrap();
    store.reply_shows(EventId(2), 12).await.unwrap();

    let store = trial.restart(store).await;
    let first = OpenReply { messages: vec![11, u64::MAX], ..open(1) };
    assert_eq!(store.replies_left_open(NOW + Duration::from_secs(3)).await.unwrap(), *std::slice::from_ref(&first));
    assert_eq!(store.replies_left_open(NOW + Duration::from_secs(4)).await.unwrap(), [first, open(3)]);
}
