//! The commands as people use them, over metrics, records, later calls and channels in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use super::*;
use candor_core::contract::{Good, HostServices, LaterCall, Observation, Presentation};
use candor_core::inbound::{Caller, GuildId, UserId};
use candor_core::language::Language;
use candor_core::testing::{self, InMemory, InMemoryCalls, InMemoryOutbox, said};

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

/// In seconds since 1970.
const NOW: u64 = 1_800_000_000;

/// A metrics file with one content, written just now.
struct File(Mutex<(Value, SystemTime)>, Presentation);

impl Live for File {
    fn observe(&self) -> Observation<Map<String, Value>> {
        let (content, modified) = self.0.lock().unwrap().clone();
        let good = Some(Good { value: Arc::new(content.as_object().unwrap().clone()), modified });
        Observation { path: "data/metrics.json".to_owned(), good, trouble: None }
    }

    fn presentation(&self) -> &Presentation {
        &self.1
    }
}

/// One server, whose operator allows alerts in channel 2.
struct Server {
    file: Arc<File>,
    records: Arc<InMemory>,
    calls: Arc<InMemoryCalls>,
    sent: Arc<InMemoryOutbox>,
    channels: BTreeSet<ChannelId>,
    now: u64,
    place: Place,
}

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

impl Server {
    fn with(cpu: f64) -> Self {
        let generated_at = "generated_at".to_owned();
        let presentation =
            Presentation { generated_at, stale_after: Duration::from_secs(90), metrics: BTreeMap::new() };
        let server = Self {
            file: Arc::new(File(Mutex::new((Value::Null, at(NOW))), presentation)),
            records: Arc::default(),
            calls: Arc::default(),
            sent: Arc::default(),
            channels: BTreeSet::from([ChannelId(2)]),
            now: NOW,
            place: HERE,
        };
        server.measures(cpu);
        server
    }

    /// The producer writes the file.
    fn measures(&self, cpu: f64) {
        let content = json!({ "cpu": { "usage_percent": cpu, "name": "x" }, "free_bytes": 5_368_709_120_u64 });
        *self.file.0.lock().unwrap() = (content, at(self.now));
    }

    fn call(&self, caller: Caller, place: Place) -> Call {
        let asked = [ServiceName::Records, ServiceName::Live, ServiceName::Time, ServiceName::Send];
        self.asking(&asked, caller, place)
    }

    fn asking(&self, asked: &[ServiceName], caller: Caller, place: Place) -> Call {
        let host = HostServices {
            records: Some(self.records.clone()),
            live: Some(self.file.clone()),
            time: Some(self.calls.clone()),
            outbox: Some(self.sent.clone()),
            ..HostServices::default()
        };
        let call = testing::call("alerts", &host, asked, caller, place, at(self.now));
        Call { services: call.services.sending_to(self.channels.iter().copied().collect()), ..call }
    }

    fn of_ann(&self) -> Call {
        self.call(Caller::new(UserId(7), "ann"), self.place)
    }

    async fn set(&self, metric: &str, when: Side, line: f64, lasts: Option<&str>) -> String {
        let (metric, lasts) = (metric.to_owned(), lasts.map(str::to_owned));
        said(set(NewAlert { metric, when, line, lasts, channel: None }, self.of_ann()).await)
    }

    async fn list(&self) -> String {
        said(list(NoArguments {}, self.of_ann()).await)
    }

    async fn remove(&self, id: RecordId) -> String {
        said(remove(AlertNumber { id }, self.of_ann()).await)
    }

    /// A minute later, with this value measured: the look that is due then.
    async fn look(&mut self, cpu: f64) -> String {
        self.now += look::EVERY.as_secs();
        self.measures(cpu);
        self.look_now().await
    }

    async fn look_now(&self) -> String {
        let LaterCall { path, arguments, caller, place, due, .. } = self.calls.all().last().unwrap().clone();
        assert_eq!((path.to_string().as_str(), arguments.len()), ("/alerts list", 0));
        assert_eq!(caller, Caller::of_guild(Language::ENGLISH), "whoever leaves, it is looked at");
        said(list(NoArguments {}, Call { due: Some(due), ..self.call(caller, place) }).await)
    }

    /// The messages so far.
    fn told(&self) -> Vec<String> {
        self.sent.all().iter().map(|sent| format!("{} {}", sent.channel, sent.message.reply().plain())).collect()
    }
}

fn not_yet(server: &Server) -> String {
    format!("not before {}", server.now + look::EVERY.as_secs())
}

#[tokio::test]
async fn a_metric_beyond_its_line_for_a_time_is_told_once_and_so_is_that_it_is_over() {
    let mut server = Server::with(12.0);
    let set = server.set("CPU.usage_percent", Side::Above, 90.0, Some("2m")).await;
    assert_eq!(set, "Alert 1, told in <#2>: CPU / Usage above 90 % for 2 min. Now it is 12 %.");
    // What is measured each minute, whether something is stored, and how many messages there are then.
    let steps = [
        (50.0, false, 0),
        (95.0, true, 0),
        (91.0, false, 0),
        (90.5, true, 1),
        (99.0, false, 1),
        (90.0, true, 1),
        // Back above before it was over.
        (95.0, true, 1),
        (10.0, true, 1),
        (10.0, false, 1),
        (10.0, true, 2),
        (10.0, false, 2),
    ];
    for (n, (cpu, is_stored, n_told)) in steps.into_iter().enumerate() {
        let said = server.look(cpu).await;
        let expected = if is_stored { "Alerts looked at: 1; changed: 1.".to_owned() } else { not_yet(&server) };
        assert_eq!((said, server.told().len()), (expected, n_told), "step {n}");
    }
    let began = "2 ⚠ CPU / Usage above 90 % for 2 min\nNow it is 90.5 %.";
    let over = "2 ✓ No longer: CPU / Usage above 90 % for 2 min\nNow it is 10 %.";
    assert_eq!(server.told(), [began, over]);
}

#[tokio::test]
async fn an_alert_without_a_time_is_told_at_once() {
    let mut server = Server::with(12.0);
    let set = server.set("free_bytes", Side::Below, 6e9, None).await;
    assert_eq!(set, "Alert 1, told in <#2>: Free below 5.6 GiB. Now it is 5.0 GiB.");
    assert_eq!(server.look(12.0).await, "Alerts looked at: 1; changed: 1.");
    assert_eq!(server.told(), ["2 ⚠ Free below 5.6 GiB\nNow it is 5.0 GiB."]);
    let list = server.list().await;
    assert!(list.contains("1 · Free below 5.6 GiB → <#2>\nnow 5.0 GiB · **told**, and not over yet"), "{list}");
    // The operator takes the channel away: nothing is lost, and the list says why nothing is told.
    server.channels.clear();
    *server.file.0.lock().unwrap() = (json!({ "free_bytes": 7e9 }), at(server.now));
    assert_eq!(server.look_now().await, not_yet(&server));
    assert!(server.list().await.contains("**I may no longer send messages to that channel**"));
    server.channels.insert(ChannelId(2));
    assert_eq!(server.look_now().await, "Alerts looked at: 1; changed: 1.");
    assert_eq!(server.told().len(), 2);
}

#[tokio::test]
async fn a_gap_is_told_once_and_the_time_begins_anew_behind_it() {
    let mut server = Server::with(12.0);
    server.set("cpu.usage_percent", Side::Above, 90.0, Some("2m")).await;
    server.set("cpu.usage_percent", Side::Below, 5.0, None).await;
    server.set("free_bytes", Side::Below, 1.0, None).await;
    server.look(95.0).await;
    server.look(95.0).await;
    // Nobody writes the file any more: it is stale. Or the figure is no number, or not there.
    for broken in [json!({ "cpu": { "usage_percent": 95.0 } }), json!({ "cpu": { "usage_percent": "x" } }), json!({})] {
        let is_stale = broken["cpu"]["usage_percent"] == 95.0;
        server.now += look::EVERY.as_secs();
        *server.file.0.lock().unwrap() = (broken, at(server.now - if is_stale { 600 } else { 0 }));
        server.look_now().await;
        assert_eq!(server.told(), ["2 ⚠ No figure for CPU / Usage, Free. No alert is told until there is one again."]);
    }
    assert!(server.list().await.contains("no current value"));
    server.look(95.0).await;
    server.look(95.0).await;
    assert_eq!(server.told()[1..], ["2 ✓ There is a figure again for CPU / Usage, Free."]);
    server.look(95.0).await;
    assert!(server.told()[2].starts_with("2 ⚠ CPU / Usage above 90 % for 2 min"), "{:?}", server.told());
    // While it is told, a gap is not its end.
    *server.file.0.lock().unwrap() = (json!({}), at(server.now));
    server.look_now().await;
    server.look(95.0).await;
    assert_eq!(server.told().len(), 5, "{:?}", server.told());
    assert!(server.list().await.contains("**told**, and not over yet"));
}

#[tokio::test]
async fn a_gap_that_cannot_be_told_now_is_told_later() {
    let mut server = Server::with(12.0);
    server.set("free_bytes", Side::Below, 1.0, None).await;
    *server.file.0.lock().unwrap() = (json!({}), at(server.now));
    server.channels.clear();
    assert_eq!(server.look_now().await, not_yet(&server));
    server.channels.insert(ChannelId(2));
    server.look_now().await;
    assert_eq!(server.told().len(), 1);
}

#[tokio::test]
async fn the_time_begins_anew_when_nobody_looked_meanwhile() {
    let mut server = Server::with(12.0);
    server.set("cpu.usage_percent", Side::Above, 90.0, Some("2m")).await;
    server.look(95.0).await;
    // The bot is off for an hour: the look comes late.
    server.now += 3_600;
    server.look(95.0).await;
    assert_eq!(server.told(), [] as [&str; 0]);
    server.look(95.0).await;
    server.look(95.0).await;
    assert_eq!(server.told().len(), 1);
}

#[tokio::test]
async fn the_time_begins_anew_after_looks_that_failed() {
    let mut server = Server { place: Place::Guild { guild: GuildId(2), channel: ChannelId(2) }, ..Server::with(12.0) };
    server.set("cpu.usage_percent", Side::Above, 90.0, Some("2m")).await;
    server.look(95.0).await;
    server.now += look::EVERY.as_secs();
    let look = server.calls.all().last().unwrap().clone();
    let without_live = server.asking(&[ServiceName::Records], look.caller, look.place);
    assert_eq!(said(list(NoArguments {}, Call { due: Some(look.due), ..without_live }).await), not_yet(&server));
    for n_told in [0, 0, 1] {
        server.look(95.0).await;
        assert_eq!(server.told().len(), n_told);
    }
}

#[tokio::test]
async fn setting_the_same_again_changes_it_and_the_last_removal_ends_the_looks() {
    let server = Server::with(12.0);
    assert_eq!(server.list().await, "Alerts\n0 of 25\nThis server has no alerts. `/alerts set` sets one.");
    server.set("cpu.usage_percent", Side::Above, 90.0, Some("5m")).await;
    let again = server.set("cpu.usage_percent", Side::Above, 80.0, None).await;
    assert_eq!(again, "Alert 1, told in <#2>: CPU / Usage above 80 %. Now it is 12 %.");
    let other = server.set("cpu.usage_percent", Side::Below, 1.0, None).await;
    assert_eq!(other, "Alert 2, told in <#2>: CPU / Usage below 1 %. Now it is 12 %.");
    assert_eq!(server.calls.all().len(), 1, "one look for all of them");
    assert_eq!(server.remove(1).await, "Removed alert 1: CPU / Usage above 80 %.");
    assert_eq!(server.calls.all().len(), 1);
    assert_eq!(server.remove(1).await, "! This server has no alert 1. `/alerts list` shows them.");
    server.remove(2).await;
    assert_eq!(server.calls.all().len(), 0);
}

#[tokio::test]
async fn what_cannot_be_looked_at_or_told_is_not_set() {
    let mut server = Server::with(12.0);
    let cases = [
        (
            "cpu.usage",
            1.0,
            None,
            "The metrics have no number `cpu.usage`, so no alert was set. Did you mean `cpu.usage_percent`?",
        ),
        ("cpu.name", 1.0, None, "The metrics have no number `cpu.name`, so no alert was set."),
        ("free_bytes", f64::NAN, None, "The line must be a number that a metric can have."),
        ("free_bytes", 1.0, Some("soon"), "`soon` is not a duration. Write 5m, 1h or 90s; at most a day."),
        (
            "free_bytes",
            1.0,
            Some("1M"),
            "`1M` is not a duration: `M` may mean minutes or months. Write `m` for minutes, such as 5m.",
        ),
        ("free_bytes", 1.0, Some("25h"), "`25h` is not a duration. Write 5m, 1h or 90s; at most a day."),
    ];
    for (metric, line, lasts, expected) in cases {
        assert_eq!(server.set(metric, Side::Above, line, lasts).await, format!("! {expected}"));
    }
    server.now += 600;
    let stale = server.set("free_bytes", Side::Above, 1.0, None).await;
    assert_eq!(stale, "! There are no current metrics to look at, so no alert was set. `/status` says why.");
    server.measures(1.0);
    server.channels.clear();
    assert!(server.set("free_bytes", Side::Above, 1.0, None).await.starts_with("! The operator of this bot has not"));
    server.channels.insert(ChannelId(3));
    assert!(server.set("free_bytes", Side::Above, 1.0, None).await.starts_with("! I may not send messages to <#2>."));
    assert_eq!(server.calls.all().len(), 0);
}

#[tokio::test]
async fn a_server_has_so_many_alerts() {
    let mut server = Server::with(12.0);
    server.channels = (0..=ALERTS_MAX as u64).map(ChannelId).collect();
    for channel in 0..=ALERTS_MAX as u64 {
        let channel = Some(entity::Channel { id: channel, name: None, kind: None });
        let new = NewAlert { metric: "free_bytes".to_owned(), when: Side::Above, line: 1.0, lasts: None, channel };
        let answer = said(set(new, server.of_ann()).await);
        assert_eq!(answer.starts_with('!'), answer.contains("25 alerts, which is the limit"), "{answer}");
    }
    assert!(server.list().await.contains("25 of 25"));
}
