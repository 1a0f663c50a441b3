//! The commands as people use them, with later calls in memory, and the times that they write.

use std::sync::Arc;

use super::*;
use candor_core::contract::{DUE_CALLS_MAX, HostServices, Records as _, TimeZones, personal_scope};
use candor_core::inbound::{Caller, ChannelId, GuildId, UserId};
use candor_core::testing::{self, InMemory, InMemoryCalls, said};

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

const ASKED: &[ServiceName] = &[ServiceName::Time, ServiceName::Records];

/// A Friday, 08:00 UTC.
fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn call(calls: &Arc<InMemoryCalls>, place: Place) -> Call {
    let host = HostServices {
        time: Some(calls.clone()),
        records: Some(Arc::default() as Arc<InMemory>),
        ..HostServices::default()
    };
    testing::call("remind", &host, ASKED, Caller::new(UserId(7), "ann"), place, now())
}

fn new(text: &str, after: Option<&str>, at: Option<&str>) -> NewReminder {
    NewReminder { text: text.to_owned(), after: after.map(str::to_owned), at: at.map(str::to_owned) }
}

#[tokio::test]
async fn a_reminder_is_asked_for_shown_and_removed() {
    let calls = Arc::new(InMemoryCalls::default());
    let added = said(add(new("*milk*", Some("2h"), None), call(&calls, HERE)).await);
    assert_eq!(
        added,
        "Reminder 1, <t:1800007200:R> (<t:1800007200:f>): \\*milk\\*\n\
         That is Friday 2027-01-15 10:00, in the time zone UTC. `/remind zone` sets yours."
    );
    let asked = calls.all().remove(0);
    assert_eq!((asked.path.to_string(), asked.due), ("/remind add".to_owned(), now() + Duration::from_secs(7_200)));
    assert_eq!(Value::Object(asked.arguments), serde_json::json!({ "text": "*milk*" }));

    let listed = said(list(NoArguments {}, call(&calls, HERE)).await);
    assert_eq!(listed, "Reminders\n1 waiting\n1 · <t:1800007200:R> · \\*milk\\*");
    assert_eq!(said(remove(ReminderNumber { id: 1 }, call(&calls, HERE)).await), "Removed reminder 1.");
    let again = said(remove(ReminderNumber { id: 1 }, call(&calls, HERE)).await);
    assert_eq!(again, "! You have no reminder 1 here. `/remind list` shows yours.");
}

#[tokio::test]
async fn at_its_time_the_words_are_told_and_nothing_is_kept_anew() {
    let calls = Arc::new(InMemoryCalls::default());
    let due = |late: u64| Call { due: Some(now() - Duration::from_secs(late)), ..call(&calls, HERE) };
    assert_eq!(said(add(new("milk", None, None), due(3)).await), "Reminder\nmilk");
    let late = said(add(new("milk", None, None), due(3_600)).await);
    assert_eq!(late, "Reminder\nmilk\nIt was due <t:1799996400:R>, but I was offline.");
    assert_eq!(calls.all().len(), 0);
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused_and_why() {
    let calls = Arc::new(InMemoryCalls::default());
    let cases = [
        (new("a", None, None), "Say when"),
        (new("a", Some("1h"), Some("2027-01-31T18:00Z")), "Say when"),
        (new("a", Some("soon"), None), "is not a duration"),
        (new("a", Some("1M"), None), "`m` for minutes, such as `30m`, or `mo` for months"),
        (new("a", None, Some("tomorrow evening")), "is not a time. Write it like `18:00`"),
        (new("a", None, Some("today 7:00")), "That time is in the past."),
        (new("a", None, Some("2020-01-31T18:00Z")), "That time is in the past."),
        (new("a", Some("9000w"), None), "at most a year ahead"),
        (new("\u{200b}", Some("1h"), None), "needs text"),
    ];
    for (reminder, why) in cases {
        let answer = said(add(reminder, call(&calls, HERE)).await);
        assert!(answer.starts_with("! ") && answer.contains(why), "{answer}");
    }
    let console = said(add(new("a", Some("1h"), None), call(&calls, Place::Console)).await);
    assert!(console.starts_with("! ") && console.contains("on Discord only"), "{console}");
    for _ in 0..DUE_CALLS_MAX {
        add(new("a", Some("1h"), None), call(&calls, HERE)).await.unwrap();
    }
    let full = said(add(new("a", Some("1h"), None), call(&calls, HERE)).await);
    assert!(full.starts_with("! You have reached the limit"), "{full}");
}

/// Everywhere it is as late as in Berlin.
struct Berlin;

impl TimeZones for Berlin {
    fn zone(&self, _: Place) -> Zone {
        Zone::named("Europe/Berlin").unwrap()
    }
}

#[tokio::test]
async fn a_time_without_a_zone_is_by_the_persons_clock_or_else_by_that_of_the_place() {
    let (calls, records) = (Arc::new(InMemoryCalls::default()), Arc::new(InMemory::default()));
    let host = HostServices {
        time: Some(calls),
        zones: Some(Arc::new(Berlin)),
        records: Some(records.clone()),
        ..HostServices::default()
    };
    let call_of =
        |user: u64, place: Place| testing::call("remind", &host, ASKED, Caller::new(UserId(user), "ann"), place, now());
    let call = || call_of(7, HERE);
    let at = async |call: Call, at: &str| said(add(new("tea", None, Some(at)), call).await);
    let zone = async |zone: Option<&str>| said(set_zone(NewZone { zone: zone.map(str::to_owned) }, call()).await);

    // It is 09:00 in Berlin, and 17:00 in Tokyo.
    let added = at(call(), "18:00").await;
    assert!(added.contains("<t:1800032400:f>") && added.contains("Friday 2027-01-15 18:00"), "{added}");
    assert!(added.contains("in the time zone Europe/Berlin. `/remind zone` sets yours."), "{added}");
    assert!(at(call(), "2027-01-15T18:00Z").await.contains("<t:1800036000:f>"));

    let set = zone(Some("asia/tokyo")).await;
    assert_eq!(set, "The times that you write are now in Asia/Tokyo, where it is 2027-01-15 17:00.");
    let added = at(call(), "16:00").await;
    assert!(added.contains("That is Saturday 2027-01-16 16:00, in your time zone Asia/Tokyo."), "{added}");
    let alone = Place::Direct { channel: ChannelId(9) };
    assert!(at(call_of(7, alone), "18:00").await.contains("Asia/Tokyo"), "it counts in every place");
    assert!(at(call_of(8, HERE), "18:00").await.contains("Europe/Berlin"), "and for nobody else");
    zone(Some("UTC")).await;
    let kept = records.list("remind", &personal_scope("everywhere", UserId(7))).await.unwrap();
    assert_eq!(kept.into_iter().map(|(_, body)| body).collect::<Vec<_>>(), [json!({ "zone": "UTC" })]);

    // The database no longer has the stored zone: that of the place counts, and a new one takes its room.
    let (scope, gone) = (personal_scope("everywhere", UserId(7)), json!({ "zone": "Gone/Zone" }));
    let (id, before) = records.list("remind", &scope).await.unwrap().remove(0);
    assert!(records.replace("remind", &scope, id, &before, &gone).await.unwrap());
    assert!(at(call(), "18:00").await.contains("Europe/Berlin"));
    assert!(zone(Some("UTC")).await.contains("are now in UTC"));

    assert_eq!(zone(Some("Berlin")).await, "! There is no time zone Berlin. Did you mean `Europe/Berlin`?");
    assert_eq!(zone(Some("nowhere at all")).await.lines().count(), 1);
    let gone = zone(None).await;
    assert_eq!(gone, "You have no time zone of your own now. Times that you write here are in Europe/Berlin.");
    assert!(at(call(), "18:00").await.contains("Europe/Berlin"));
    let suggested = suggest_zones("new york".to_owned(), call()).await;
    assert_eq!(suggested, [Suggestion::from("America/New_York".to_owned())]);
}
