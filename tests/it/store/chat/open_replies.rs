//! Chat replies that are being written, and those that a process left in the middle.

use std::time::Duration;

use crate::store::{NOW, Trial, on_every_engine};
use candor_core::inbound::{ChannelId, EventId};
use candor_core::language::Language;
use candor_core::record::ReceiptId;
use candor_core::reply::Mark;
use candor_engine::{LeftOpen, OpenReplies as _, OpenReply};

on_every_engine!(a_reply_is_open_with_its_messages_until_it_is_over);

async fn a_reply_is_open_with_its_messages_until_it_is_over(trial: Trial) {
    let store = trial.open().await;
    let open = |event| OpenReply {
        event: EventId(event),
        channel: ChannelId(u64::MAX),
        question: event,
        messages: Vec::new(),
        in_doubt: None,
        mark: Some(Mark::default()),
        began: NOW + Duration::from_secs(event),
        language: Language::of_locale("de").unwrap(),
    };
    for event in [1, 2, 3] {
        store.reply_begins(&open(event)).await.unwrap();
    }
    for (part, message) in [("g0", 11), ("g1", u64::MAX)] {
        store.reply_sends(EventId(1), part).await.unwrap();
        store.reply_shows(EventId(1), message).await.unwrap();
    }
    store.reply_sends(EventId(3), "g0").await.unwrap();
    // One command did not run, and the process ended during another one.
    store.reply_runs(EventId(3), "/status").await.unwrap();
    store.reply_ran(EventId(3), None).await.unwrap();
    store.reply_runs(EventId(3), "/tasks add").await.unwrap();
    store.reply_is_over(EventId(2)).await.unwrap();
    store.reply_shows(EventId(2), 12).await.unwrap();

    let store = trial.restart(store).await;
    let first = OpenReply { messages: vec![11, u64::MAX], ..open(1) };
    let unknown = Mark::default().unknown(["/tasks add".to_owned()]);
    let third = OpenReply { in_doubt: Some("g0".to_owned()), mark: Some(unknown), ..open(3) };
    let left = LeftOpen::all(NOW, Duration::from_hours(1));
    assert_eq!(store.replies_left_open(left).await.unwrap(), [first, third.clone()]);
    let after = LeftOpen { after: Some(EventId(1)), ..left };
    assert_eq!(store.replies_left_open(after).await.unwrap(), std::slice::from_ref(&third));
    // A receipt that is gone does not say what ran.
    store.reply_runs(EventId(3), "/tasks add").await.unwrap();
    store.reply_ran(EventId(3), Some(ReceiptId::from_number(7))).await.unwrap();
    assert_eq!(store.replies_left_open(after).await.unwrap(), [OpenReply { mark: None, ..third }]);
    store.reply_begins(&open(4)).await.unwrap();
    let after = LeftOpen { after: Some(EventId(3)), ..left };
    assert_eq!(store.replies_left_open(after).await.unwrap(), [], "it is being written");
}
