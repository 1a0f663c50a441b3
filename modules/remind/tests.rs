//! The commands as people use them, with later calls in memory, and the times that they write.

use std::sync::Arc;

use super::*;
use candor_core::contract::{DUE_CALLS_MAX, Services, TimeZones};
use candor_core::inbound::{Caller, ChannelId, GuildId, UserId};
use candor_core::testing::{self, InMemoryCalls, said};

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn call(calls: &Arc<InMemoryCalls>, place: Place) -> Call {
    let host = Services::default().with_time(calls.clone());
    testing::call("remind", &host, &[ServiceName::Time], Caller::new(UserId(7), "ann"), place, now())
}

fn new(text: &str, after: Option<&str>, at: Option<&str>) -> NewReminder {
    NewReminder { text: text.to_owned(), after: after.map(str::to_owned), at: at.map(str::to_owned) }
}

#[tokio::test]
async fn a_reminder_is_asked_for_shown_and_removed() {
    let calls = Arc::new(InMemoryCalls::default());
    let added = said(add(new("*milk*", Some("2h"), None), call(&calls, HERE)).await);
    assert_eq!(added, "Reminder 1, <t:1800007200:R> (<t:1800007200:f>): \\*milk\\*");
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
        (new("a", None, Some("tomorrow")), "is not a time"),
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
async fn a_time_without_a_zone_is_by_the_clock_of_the_place() {
    let calls = Arc::new(InMemoryCalls::default());
    let host = Services::default().with_time(calls.clone()).with_zones(Arc::new(Berlin));
    let caller = Caller::new(UserId(7), "ann");
    let call = || testing::call("remind", &host, &[ServiceName::Time], caller.clone(), HERE, now());
    // It is 09:00 there.
    let added = said(add(new("tea", None, Some("2027-01-15 18:00")), call()).await);
    assert!(added.contains("<t:1800032400:f>"), "{added}");
    let added = said(add(new("tea", None, Some("2027-01-15T18:00Z")), call()).await);
    assert!(added.contains("<t:1800036000:f>"), "{added}");
}

#[test]
fn durations_and_times_are_read_as_people_write_them() {
    let durations = [
        ("90m", Some(5_400)),
        ("2h30m", Some(9_000)),
        ("3d", Some(259_200)),
        ("1w 2d", Some(777_600)),
        ("10 MIN", Some(600)),
        ("1s", Some(1)),
        ("0m", None),
        ("", None),
        ("5", None),
        ("h", None),
        ("-1h", None),
        ("2 years", None),
        ("99999999999999999999d", None),
        ("9999999999999999d", None),
    ];
    for (text, seconds) in durations {
        assert_eq!(moment::duration(text), seconds.map(Duration::from_secs), "{text}");
    }
    let times = [
        ("2027-01-15T08:00:00Z", Some(0)),
        ("2027-01-15T08:00Z", Some(0)),
        ("2027-01-15 08:00", Some(0)),
        ("2027-01-15T09:00+01:00", Some(0)),
        ("2027-01-15", None),
        ("08:00", None),
    ];
    for (text, seconds) in times {
        let at = seconds.map(|seconds: u64| now() + Duration::from_secs(seconds));
        assert_eq!(moment::date_time(text, &Zone::UTC), at, "{text}");
    }
}
