//! What `/status` answers for contents and states of the metrics file.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::format::{Unit, name_of, part_of, span, value};
use super::past::Range;
use super::{StatusArgs, live_keys, render, status};
use candor_core::contract::{
    Call, CommandError, FileTrouble, Good, History, Live, Metric, Observation, Past, PastMetric, Point, Presentation,
    ServiceError, Services,
};
use candor_core::guild::Rules;
use candor_core::inbound::{Caller, Place, UserId};
use candor_core::language::{Language, say};
use candor_core::record::Source;
use candor_core::reply::{Control, Field, Reply};

/// 2023-11-14 22:13:20 UTC.
const NOW: u64 = 1_700_000_000;

fn seconds_ago(n: u64) -> String {
    say!(Language::ENGLISH, "age-seconds", n = n)
}

fn minutes_ago(n: u64) -> String {
    say!(Language::ENGLISH, "age-minutes", n = n)
}

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn presentation() -> Presentation {
    let generated_at = "generated_at".to_owned();
    Presentation { generated_at, stale_after: Duration::from_secs(60), metrics: BTreeMap::new() }
}

fn observed(content: &Value) -> Observation<Map<String, Value>> {
    let value = Arc::new(content.as_object().unwrap().clone());
    let good = Some(Good { value, modified: at(NOW - 30) });
    Observation { path: "data/metrics.json".to_owned(), good, trouble: None }
}

fn shown(content: &Value, metric: Option<&str>) -> Reply {
    render(&observed(content), &presentation(), metric, at(NOW)).unwrap()
}

fn fields(reply: &Reply) -> Vec<(&str, &str)> {
    reply.fields.iter().map(|Field { name, value }| (name.as_str(), value.as_str())).collect()
}

fn told(error: CommandError) -> String {
    match error {
        CommandError::Tell(text) => text,
        other => panic!("not told: {other:?}"),
    }
}

fn machine() -> Value {
    json!({
        "generated_at": NOW - 2,
        "cpu": { "usage_percent": 12.5, "cores": 2 },
        "memory": { "used_bytes": 3_328_599_654_u64, "total_bytes": 25_769_803_776_u64 },
        "uptime_seconds": 11_520,
        "queue": { "mail": { "used_bytes": 10, "total_bytes": 2048, "oldest_seconds": 61 } },
        "version": "1.4.2",
    })
}

#[test]
fn a_machine_is_shown_in_groups_in_the_order_of_the_file() {
    let reply = shown(&machine(), None);
    let expected = [
        ("CPU", "Usage: 12.5 %\nCores: 2"),
        ("Memory", "3.1 of 24.0 GiB"),
        ("Uptime", "3 h 12 min"),
        ("Queue", "Mail: 10 B of 2.0 KiB\nMail / Oldest: 1 min 1 s"),
        ("Version", "1.4.2"),
    ];
    assert_eq!(fields(&reply), expected);
    assert_eq!(reply.title.as_deref(), Some("Status"));
    assert_eq!(reply.state, Some(format!("fresh · {}", seconds_ago(2))));
    assert_eq!(reply.text, "");
    assert_eq!(reply.source, Some(Source { name: "data/metrics.json".to_owned(), as_of: Some(at(NOW - 2)) }));
}

#[test]
fn the_operators_labels_and_units_come_first() {
    let metric = |label: &str, unit: &str| Metric {
        label: Some(label.to_owned()),
        unit: Some(unit.to_owned()),
        ..Metric::default()
    };
    let metrics = BTreeMap::from([
        ("players".to_owned(), metric("Players online", "of 20")),
        ("disk".to_owned(), Metric { label: Some("Main disk".to_owned()), ..Metric::default() }),
        ("disk.read".to_owned(), metric("Reading", "bytes/s")),
        ("disk.used_bytes".to_owned(), metric("Taken", "blocks")),
        ("cpu.usage_percent".to_owned(), Metric { label: Some("CPU".to_owned()), ..Metric::default() }),
    ]);
    let content = json!({
        "players": 3,
        "disk": { "read": 2048, "used_bytes": 5, "total_bytes": 1024 },
        "cpu": { "usage_percent": 12.5, "cores": 2 },
    });
    let reply = render(&observed(&content), &Presentation { metrics, ..presentation() }, None, at(NOW)).unwrap();
    let expected = [
        ("Players online", "3 of 20"),
        ("Main disk", "Reading: 2.0 KiB/s\nTaken: 5 blocks\nTotal: 1.0 KiB"),
        // No name twice, one above the other.
        ("CPU", "12.5 %\nCores: 2"),
    ];
    assert_eq!(fields(&reply), expected);
}

#[test]
fn values_are_short_and_harmless() {
    let long = "x".repeat(500);
    let cut = format!("{}…", "x".repeat(99));
    let cases = [
        (json!(12), "", "12"),
        (json!(-12), "", "-12"),
        (json!(u64::MAX), "", "18446744073709551615"),
        (json!(0.42), "", "0.42"),
        (json!(0.126), "", "0.13"),
        (json!(100.0), "", "100"),
        (json!(0.0), "", "0"),
        (json!(-0.0), "", "0"),
        (json!(0.000_12), "", "1.2e-4"),
        (json!(1e300), "", "1.0e300"),
        (json!(13.0), "%", "13 %"),
        (json!(0), "bytes", "0 B"),
        (json!(1023), "bytes", "1023 B"),
        (json!(1024), "bytes", "1.0 KiB"),
        (json!(1_048_575), "bytes", "1.0 MiB"),
        (json!(-1536), "bytes", "-1.5 KiB"),
        (json!(1_610_612_736), "bytes", "1.5 GiB"),
        (json!(1e300), "bytes/s", "1.0e300 B/s"),
        (json!(2048), "bytes/s", "2.0 KiB/s"),
        (json!(0.25), "seconds", "0.25 s"),
        (json!(21), "°C", "21 °C"),
        (json!(true), "", "yes"),
        (json!(false), "", "no"),
        (json!(null), "", "no value"),
        (json!(""), "", "(empty)"),
        (json!("two\nlines `code` @everyone <@1>"), "", "two lines 'code' ＠everyone ‹＠1›"),
        (json!("-# generated · no command ran"), "", "＃ generated · no command ran"),
        (json!(long), "", &cut),
        (json!([1, 2, 3]), "%", "1 %, 2 %, 3 %"),
        (json!(["-# a", "`b`"]), "", "＃ a, 'b'"),
        (json!([]), "", "0 entries"),
        (json!([[1]]), "", "1 entry"),
        (json!({}), "", "0 entries"),
    ];
    for (given, unit, expected) in cases {
        assert_eq!(value(&given, Unit::of_text(unit), Language::ENGLISH), expected, "{given} {unit}");
    }
}

#[test]
fn spans_have_two_units_at_most() {
    let cases = [
        (0.0, "0 s"),
        (59.5, "59.5 s"),
        (60.0, "1 min"),
        (3_599.0, "59 min 59 s"),
        (11_520.0, "3 h 12 min"),
        (86_400.0, "1 day"),
        (3.0 * 86_400.0 + 4.0 * 3_600.0, "3 days 4 h"),
        (-90.0, "-1 min 30 s"),
        (1e13, "10000000000000 s"),
    ];
    for (seconds, expected) in cases {
        assert_eq!(span(seconds, Language::ENGLISH), expected, "{seconds}");
    }
}

#[test]
fn a_part_is_shown_in_the_unit_of_the_whole_unless_it_would_vanish() {
    let cases = [
        (512.0, 1024.0, Some("0.5 of 1.0 KiB")),
        (0.0, 1_073_741_824.0, Some("0.0 of 1.0 GiB")),
        (2048.0, 1_073_741_824.0, Some("2.0 KiB of 1.0 GiB")),
        (5.0, 10.0, Some("5 of 10 B")),
        (5.0, 0.0, None),
        (-1.0, 10.0, None),
    ];
    for (part, whole, expected) in cases {
        assert_eq!(part_of(part, whole, Language::ENGLISH).as_deref(), expected, "{part} of {whole}");
    }
}

/// M10: a time that is in the year 10000 in UTC broke every `/status` until the file changed.
#[test]
fn m10_a_time_beyond_the_calendar_is_no_time_and_the_rest_is_shown() {
    for generated_at in [json!("9999-12-31T23:59:59-23:59"), json!("9999-12-31T23:59:59-00:01"), json!(f64::MAX)] {
        let reply = shown(&json!({ "generated_at": generated_at, "load": 1 }), None);
        let state = reply.state.clone().unwrap_or_default();
        assert!(
            state.contains("going by the file's own timestamp") && reply.plain().contains("Load: 1"),
            "{state}: {reply:?}"
        );
    }
}

#[test]
fn keys_become_names() {
    let cases = [
        ("usage_percent", "Usage"),
        ("received_bytes_per_second", "Received"),
        ("cpu", "CPU"),
        ("db_io-wait.total", "DB IO wait total"),
        ("élan", "Élan"),
        ("_bytes", "Bytes"),
        ("", "(no name)"),
        ("__", "(no name)"),
    ];
    for (key, expected) in cases {
        assert_eq!(name_of(key, Language::ENGLISH), expected, "{key}");
    }
}

#[test]
fn the_state_says_how_old_the_values_are() {
    let by_file = format!("fresh · {} going by the file's own timestamp", seconds_ago(30));
    let days_ago = |n| say!(Language::ENGLISH, "age-days", n = n);
    let cases = [
        (json!("2023-11-14T22:13:18Z"), format!("fresh · {}", seconds_ago(2))),
        (json!("2023-11-14T23:13:18.5+01:00"), format!("fresh · {}", seconds_ago(1))),
        (json!(NOW - 60), format!("fresh · {}", seconds_ago(60))),
        (json!(NOW - 61), format!("stale since 22:12:19 UTC · {}", seconds_ago(61))),
        (json!(NOW * 1000 - 420_000), format!("stale since 22:06:20 UTC · {}", minutes_ago(7))),
        (json!(NOW - 3 * 86_400), format!("stale since 22:13:20 UTC · {}", days_ago(3))),
        (json!(NOW + 5), format!("fresh · {}", seconds_ago(0))),
        (json!(NOW + 6), "clock problem: written at 22:13:26 UTC, 6 s ahead of this machine's clock".to_owned()),
        (json!(NOW + 7200), "clock problem: written at 00:13:20 UTC, 2 h ahead of this machine's clock".to_owned()),
        (json!("yesterday"), by_file.clone()),
        (json!(-5), by_file.clone()),
        (json!(1e300), by_file.clone()),
        (json!({ "at": NOW }), by_file.clone()),
        // In UTC, this is in the year 10000.
        (json!("9999-12-31T23:59:59-23:59"), by_file.clone()),
        (
            json!("9999-12-31T23:59:59Z"),
            "clock problem: written at 23:59:59 UTC, 2913221 days 1 h ahead of this machine's clock".to_owned(),
        ),
        (json!("-9999-01-01T00:00:00Z"), by_file.clone()),
    ];
    for (generated_at, expected) in cases {
        let content = json!({ "generated_at": generated_at, "load": 1 });
        let reply = shown(&content, None);
        assert_eq!(reply.state.as_ref(), Some(&expected), "{generated_at}");
        let note = "What the file gives as `generated_at` is not a time, so the age shown is that of the file.";
        assert_eq!(reply.text == note, expected == by_file, "{generated_at}: {}", reply.text);
    }
    let without = shown(&json!({ "load": 1 }), None);
    assert_eq!(without.state, Some(by_file));
    assert_eq!(without.text, "");
}

#[test]
fn the_lasting_state_has_moments_and_no_age() {
    let moment = |at: u64| format!("<t:{at}:f> (<t:{at}:R>)");
    let cases = [
        (json!(NOW - 2), format!("As of <t:{}:R>.", NOW - 2)),
        (json!(NOW - 61), format!("Stale since {}.", moment(NOW - 61))),
        (json!("yesterday"), format!("As of <t:{}:R>, going by the file's own timestamp.", NOW - 30)),
        (json!(NOW + 6), format!("Clock problem: written at {}, 6 s ahead of this machine's clock.", moment(NOW + 6))),
    ];
    for (generated_at, expected) in cases {
        let reply = shown(&json!({ "generated_at": generated_at, "load": 1 }), None);
        assert_eq!(reply.lasting_state, Some(expected));
        // Neither a terminal nor a model reads Discord's markup.
        assert!(!reply.plain().contains("<t:"), "{}", reply.plain());
    }
}

#[test]
fn last_good_values_are_shown_as_such() {
    let since = at(NOW - 180);
    let ages = format!(
        "since 22:10:20 UTC, {} (showing the last good values from 22:13:18 UTC, {})",
        minutes_ago(3),
        seconds_ago(2)
    );
    let cases = [
        (FileTrouble::Missing { since }, format!("missing {ages}"), "Missing", "The file is missing now."),
        (
            FileTrouble::Invalid { since, problem: "line 3, column 5: expected `,` or `}`".to_owned() },
            format!("invalid {ages}"),
            "Invalid",
            "The file is not usable as it is now: line 3, column 5: expected ',' or '}'.",
        ),
    ];
    for (trouble, state, lasting, text) in cases {
        let observation = Observation { trouble: Some(trouble), ..observed(&machine()) };
        let reply = render(&observation, &presentation(), Some("uptime"), at(NOW)).unwrap();
        assert_eq!(reply.state, Some(state));
        let [since, from] = [NOW - 180, NOW - 2].map(|at| format!("<t:{at}:f> (<t:{at}:R>)"));
        assert_eq!(
            reply.lasting_state,
            Some(format!("{lasting} since {since}. The last good values are from {from}."))
        );
        assert_eq!(reply.text, text);
        assert_eq!(fields(&reply), [("Uptime", "3 h 12 min")]);
    }
}

#[test]
fn without_any_good_content_there_is_no_data() {
    let since = at(NOW - 180);
    let cases = [
        (
            Some(FileTrouble::Missing { since }),
            "No data: there is no file `data/metrics.json` (missing since 22:10:20 UTC".to_owned(),
        ),
        (
            Some(FileTrouble::Invalid { since, problem: "the file is empty".to_owned() }),
            format!(
                "No data: `data/metrics.json` has not been usable since 22:10:20 UTC, {}: the file is empty.",
                minutes_ago(3)
            ),
        ),
        (None, "No data yet: `data/metrics.json` has not been read yet.".to_owned()),
    ];
    for (trouble, expected) in cases {
        let observation = Observation { good: None, trouble, ..observed(&json!({})) };
        let text = told(render(&observation, &presentation(), None, at(NOW)).unwrap_err());
        assert!(text.starts_with(&expected), "{text}");
    }
}

#[test]
fn a_metric_is_found_by_key_group_or_label() {
    let cases: [(&str, &[(&str, &str)]); 8] = [
        ("cpu", &[("CPU", "Usage: 12.5 %\nCores: 2")]),
        ("CPU.Usage_Percent", &[("CPU", "Usage: 12.5 %")]),
        ("usage", &[("CPU", "Usage: 12.5 %")]),
        (" uptime_seconds ", &[("Uptime", "3 h 12 min")]),
        ("memory.total_bytes", &[("Memory", "3.1 of 24.0 GiB")]),
        ("queue.mail", &[("Queue", "Mail: 10 B of 2.0 KiB\nMail / Oldest: 1 min 1 s")]),
        ("queue.mail.oldest_seconds", &[("Queue", "Mail / Oldest: 1 min 1 s")]),
        ("version", &[("Version", "1.4.2")]),
    ];
    for (metric, expected) in cases {
        assert_eq!(fields(&shown(&machine(), Some(metric))), expected, "{metric}");
    }
    assert_eq!(shown(&machine(), Some("  ")), shown(&machine(), None));
}

#[test]
fn an_unknown_metric_is_told_with_what_there_is() {
    let tell = |content: &Value, metric: &str| {
        told(render(&observed(content), &presentation(), Some(metric), at(NOW)).unwrap_err())
    };
    assert_eq!(
        tell(&machine(), "memry"),
        "`data/metrics.json` has no metric `memry`. Did you mean `memory`? It has `cpu`, `memory`, \
         `uptime_seconds`, `queue`, `version`."
    );
    assert_eq!(
        tell(&json!({ "generated_at": NOW }), "`@here`"),
        "`data/metrics.json` has no metric `'＠here'`. It has none at all."
    );
    let many: Map<_, _> = (0..1_000).map(|n| (format!("{n}{}", "x".repeat(500)), json!(n))).collect();
    let text = tell(&Value::Object(many), "none of them");
    assert!(text.ends_with(" and 985 more.") && text.chars().count() < 2_000, "{text}");
}

#[test]
fn nothing_grows_beyond_what_discord_takes() {
    let group: Map<_, _> = (0..200).map(|n| (format!("metric {n}"), json!("y".repeat(90)))).collect();
    let big: Map<_, _> = (0..30).map(|n| (format!("group {n:02}"), Value::Object(group.clone()))).collect();
    let small: Map<_, _> = (0..30).map(|n| (format!("metric {n:02}"), json!(n))).collect();
    // A group shows nine of its lines in the 1,024 units of a field; four such groups fit in the whole.
    let cases = [(big, 4, 26 * 200, "and 191 more"), (small, 25, 5, "0")];
    for (content, n_fields, left_out, last_line) in cases {
        let reply = shown(&Value::Object(content), None);
        assert_eq!(reply.fields.len(), n_fields);
        assert_eq!(reply.text, format!("{left_out} more do not fit: ask for one by name."));
        let lengths = reply.fields.iter().map(|field| field.value.encode_utf16().count());
        assert!(lengths.clone().all(|length| length <= 1_024));
        assert!(reply.plain().encode_utf16().count() < 6_000);
        assert_eq!(reply.fields.first().and_then(|field| field.value.lines().last()), Some(last_line));
    }
    assert_eq!(shown(&json!({}), None).text, "The file holds no metrics.");
}

/// A metrics file with a fixed content.
struct Fixed(Observation<Map<String, Value>>, Presentation);

impl Live for Fixed {
    fn observe(&self) -> Observation<Map<String, Value>> {
        self.0.clone()
    }

    fn presentation(&self) -> &Presentation {
        &self.1
    }
}

fn call(services: Services) -> Call {
    let caller = Caller::new(UserId(1), "Ada");
    Call { caller, place: Place::Console, now: at(NOW), due: None, receipt: None, rules: Rules::default(), services }
}

fn call_with(content: &Value) -> Call {
    call(Services::default().with_live(Arc::new(Fixed(observed(content), presentation()))))
}

#[tokio::test]
async fn the_handler_shows_what_its_service_observes() {
    let reply = status(StatusArgs::default(), call_with(&machine())).await.unwrap();
    assert_eq!(Reply { controls: Vec::new(), ..reply }, shown(&machine(), None));
    let one = StatusArgs { metric: Some("memory".to_owned()), ..StatusArgs::default() };
    assert_eq!(fields(&status(one, call_with(&machine())).await.unwrap()), [("Memory", "3.1 of 24.0 GiB")]);
    let denied = status(StatusArgs::default(), call(Services::default())).await.unwrap_err();
    let CommandError::Internal(error) = denied else { panic!("told to the person") };
    assert!(matches!(error.downcast_ref(), Some(ServiceError::NotGranted("live"))));
}

#[tokio::test]
async fn a_button_shows_the_same_anew_where_it_is_neither_live_nor_a_picture() {
    let called = |reply: &Reply| match &reply.controls[..] {
        [] => None,
        [row] => match &row[..] {
            [Control::Button { label, call: Some(call), .. }] => {
                assert!(label == "Refresh" && call.path.to_string() == "/status" && call.in_place && !call.once);
                Some(Value::Object(call.arguments.clone()))
            }
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    // What a custom id has room for, and one letter more.
    let (fits, long) = ("m".repeat(28), "m".repeat(29));
    let cases = [
        (None, None, Some(json!({}))),
        (Some("memory"), None, Some(json!({ "metric": "memory" }))),
        (Some(fits.as_str()), None, Some(json!({ "metric": fits }))),
        (Some(long.as_str()), None, None),
        (None, Some(true), None),
        (None, Some(false), None),
    ];
    for (metric, live, expected) in cases {
        let content = json!({ "memory": 1, fits.as_str(): 1, long.as_str(): 1 });
        let args = StatusArgs { metric: metric.map(str::to_owned), live, ..StatusArgs::default() };
        assert_eq!(called(&status(args, call_with(&content)).await.unwrap()), expected, "{metric:?} {live:?}");
    }
}

/// A fixed history.
struct Remembered(Past);

#[async_trait]
impl History for Remembered {
    async fn between(&self, _: SystemTime, _: SystemTime) -> Result<Past, ServiceError> {
        Ok(self.0.clone())
    }
}

#[tokio::test]
async fn a_range_is_answered_with_the_past_and_live_is_for_discord() {
    let point = |seconds: u64, value: f64| Point { at: at(NOW - seconds), mean: value, low: value, high: value };
    let metric = PastMetric { key: "load".to_owned(), points: vec![point(60, 1.0), point(30, 2.0)], last: 2.0 };
    let past = Past { metrics: vec![metric], stale: Vec::new(), gap: Duration::from_secs(90) };
    let services = || {
        let live = Fixed(observed(&json!({ "generated_at": NOW, "load": 2 })), presentation());
        Services::default().with_live(Arc::new(live)).with_history(Arc::new(Remembered(past.clone())))
    };
    let asked = |live| StatusArgs { range: Some(Range::Hour), live, ..StatusArgs::default() };
    let reply = status(asked(Some(true)), call(services())).await.unwrap();
    assert!(
        reply.text.starts_with("Measured since 22:12:20 UTC.\n**Load** min 1 · max 2 · last 2\n`"),
        "{}",
        reply.text
    );
    assert!(
        reply.text.ends_with("`live` works on Discord only: nothing is kept up to date in a terminal."),
        "{}",
        reply.text
    );
    assert_eq!((fields(&reply), reply.live, reply.chart.is_some()), (vec![("Load", "2")], None, true));
    assert!(reply.controls.is_empty(), "a picture has a cooldown");

    let on_discord = Place::Direct { channel: candor_core::inbound::ChannelId(1) };
    let reply = status(asked(Some(false)), Call { place: on_discord, ..call(services()) }).await.unwrap();
    assert_eq!(reply.live, Some(false));
    // A module that was not granted the history cannot read it.
    let denied = status(asked(None), call_with(&machine())).await.unwrap_err();
    assert!(matches!(denied, CommandError::Internal(_)));
}

#[tokio::test]
async fn suggestions_begin_with_or_contain_what_was_typed() {
    let cases: [(&str, &[&str]); 4] = [
        (
            "M",
            &[
                "memory",
                "memory.total_bytes",
                "memory.used_bytes",
                "queue.mail.oldest_seconds",
                "queue.mail.total_bytes",
                "queue.mail.used_bytes",
                "uptime_seconds",
            ],
        ),
        ("usage", &["cpu.usage_percent"]),
        ("generated", &[]),
        ("nothing like it", &[]),
    ];
    for (typed, expected) in cases {
        let suggested = live_keys(typed.to_owned(), call_with(&machine())).await;
        let labels: Vec<_> = suggested.iter().map(|suggestion| suggestion.label.as_str()).collect();
        assert_eq!(labels, expected, "{typed}");
    }
    let many: Map<_, _> = (0..60).map(|n| (format!("{n:02}{}", "x".repeat(60 + n)), json!(n))).collect();
    let found = live_keys(String::new(), call_with(&Value::Object(many))).await;
    assert_eq!(found.len(), 25);
    assert!(found.iter().all(|suggestion| suggestion.label.chars().count() <= 100));
    assert!(live_keys(String::new(), call(Services::default())).await.is_empty());
}
