//! One connection to Discord's gateway, from its first byte to its end. Every step has a time limit.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc::Permit;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::close::{After, after};
use super::logins::{LoginBudget, LoginPermit};
use super::pulse::{Pulse, SILENT_MAX};
use candor_core::record::{Counters, GatewayEvent};

/// The time for the connection, TLS and the upgrade.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// The time until HELLO comes.
const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// The time until READY or RESUMED comes.
const BEGIN_WITHIN: Duration = Duration::from_secs(20);
/// The time until a heartbeat is acknowledged. With Discord's interval of 41 s a dead path is noticed within a minute.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(15);
/// The time to send one frame, and to close.
const SEND_WITHIN: Duration = Duration::from_secs(5);
/// The shortest and the longest heartbeat interval that is believed, in milliseconds.
const INTERVAL: (u64, u64) = (100, 45_000);
// A connection whose acknowledgements come in time counts as one all the while.
const _: () =
    assert!(Duration::from_millis(INTERVAL.1).as_millis() + ACKNOWLEDGED_WITHIN.as_millis() <= SILENT_MAX.as_millis());

/// Closes the connection and keeps the session, so that it can be resumed.
const KEEPING: u16 = 4000;
/// Ends the session.
const LEAVING: u16 = 1000;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A session that may be resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    pub(super) id: String,
    /// Where to resume it.
    pub(super) url: Option<String>,
    /// The number of the last event.
    pub(super) sequence: u64,
}

/// How a connection ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) after: After,
    /// In words, for the log.
    pub(super) why: String,
    /// When the session began or was resumed, if it came to that.
    pub(super) begun: Option<Instant>,
    /// Whether Discord was asked for a session: that it came to none is then its own answer.
    pub(super) was_asked: bool,
}

/// What is known of a shard, and who is to be told what.
pub(super) struct Shard<'a> {
    pub(super) index: usize,
    /// The data of IDENTIFY.
    pub(super) identify: &'a Value,
    pub(super) session: Option<Session>,
    pub(super) pulse: &'a Pulse,
    pub(super) logins: &'a Arc<LoginBudget>,
    /// Gets what is still written when the connection is over.
    pub(super) beside: &'a TaskTracker,
    pub(super) counters: &'a Counters,
    /// Gets the events.
    pub(super) events: &'a tokio::sync::mpsc::Sender<Message>,
    pub(super) leaving: &'a CancellationToken,
}

/// The head of a frame.
#[derive(Deserialize)]
struct Head<'a> {
    op: u8,
    #[serde(default)]
    s: Option<u64>,
    #[serde(default, borrow)]
    t: Option<std::borrow::Cow<'a, str>>,
}

/// What a frame leads to.
enum Step {
    Nothing,
    Begun,
    Beat,
    Acknowledged,
    End(After, &'static str),
}

impl Shard<'_> {
    /// Connects, and stays until the connection ends or the bot leaves. `None` when it leaves. Without a session it
    /// logs in, which `permit` is for.
    pub(super) async fn connection(&mut self, url: &str, permit: Option<LoginPermit<'_>>) -> Option<Ended> {
        let lost = |why: String| Some(Ended { after: After::Resume, why, begun: None, was_asked: false });
        let address = format!("{}/?v=10&encoding=json", url.trim_end_matches('/'));
        let connected = tokio::select! {
            connected = timeout(CONNECT_WITHIN, connect_async(address)) => connected,
            () = self.leaving.cancelled() => return None,
        };
        let mut socket = match connected {
            Ok(Ok((socket, _))) => socket,
            Ok(Err(problem)) => return lost(format!("no connection: {problem}")),
            Err(_) => return lost("the gateway does not answer".to_owned()),
        };
        let hello = tokio::select! {
            hello = timeout(HELLO_WITHIN, hello(&mut socket)) => hello,
            () = self.leaving.cancelled() => return None,
        };
        let Ok(Ok(interval)) = hello else {
            let ended = match hello {
                Ok(Err((after, why))) => Ended { after, why, begun: None, was_asked: false },
                _ => Ended { after: After::Resume, why: "no HELLO came".to_owned(), begun: None, was_asked: false },
            };
            close(&mut socket, KEEPING).await;
            return Some(ended);
        };
        let first = match &self.session {
            Some(Session { id, sequence, .. }) => {
                let token = self.identify.get("token");
                json!({ "op": 6, "d": { "token": token, "session_id": id, "seq": sequence } })
            }
            None => json!({ "op": 2, "d": self.identify }),
        };
        // Not before there is somebody to log in at: an outage costs no logins.
        if let Some(permit) = permit {
            permit.used().await;
        }
        if send(&mut socket, &first).await.is_err() {
            return lost("the connection broke".to_owned());
        }
        let ended = self.stay(&mut socket, interval).await;
        self.pulse.connected(self.index, false);
        ended
    }

    async fn stay(&mut self, socket: &mut Socket, interval: Duration) -> Option<Ended> {
        let (began, is_resumed) = (Instant::now(), self.session.is_some());
        let mut begun = None;
        // Half of it stands for the random part that Discord asks for: a bot has few shards.
        let mut next_beat = began + interval / 2;
        let mut unacknowledged: Option<Instant> = None;
        let ended = |after, why: &str, begun| Some(Ended { after, why: why.to_owned(), begun, was_asked: true });
        loop {
            let late = unacknowledged.map(|since| since + ACKNOWLEDGED_WITHIN.min(interval));
            let received = tokio::select! {
                // An event is read when there is room for it: while there is none, heartbeats go on.
                received = async { (self.events.reserve().await, socket.next().await) } => received,
                () = sleep_until(next_beat) => {
                    if beat(socket, self.session.as_ref()).await.is_err() {
                        return ended(After::Resume, "the connection broke", begun);
                    }
                    unacknowledged.get_or_insert_with(Instant::now);
                    next_beat = Instant::now() + interval;
                    continue;
                }
                () = sleep_until(late.unwrap_or(began)), if late.is_some() => {
                    close(socket, KEEPING).await;
                    return ended(After::Resume, "a heartbeat was not acknowledged", begun);
                }
                () = sleep_until(began + BEGIN_WITHIN), if begun.is_none() => {
                    close(socket, KEEPING).await;
                    let why = if self.session.is_some() { "RESUME was not answered" } else { "IDENTIFY was not answered" };
                    return ended(After::Resume, why, begun);
                }
                () = self.leaving.cancelled() => {
                    close(socket, LEAVING).await;
                    return None;
                }
            };
            // Nobody takes events any more: the bot leaves.
            let (Ok(room), received) = received else { return None };
            let text = match received {
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Close(frame))) => {
                    let code = frame.map_or(1005, |frame| u16::from(frame.code));
                    return ended(after(code), &format!("close code {code}"), begun);
                }
                Some(Ok(_)) => continue,
                Some(Err(_)) | None => return ended(After::Resume, "the connection broke", begun),
            };
            match self.frame(text, room) {
                Step::Nothing => {}
                Step::Begun => {
                    if is_resumed {
                        self.counters.gateway.count(GatewayEvent::Resume);
                    }
                    begun = Some(Instant::now());
                    self.pulse.connected(self.index, true);
                    // Only an acknowledged heartbeat shows that Discord listens.
                    next_beat = Instant::now();
                }
                Step::Beat => next_beat = Instant::now(),
                Step::Acknowledged => {
                    unacknowledged = None;
                    self.pulse.acknowledged(self.index);
                }
                Step::End(after, why) => {
                    close(socket, KEEPING).await;
                    return ended(after, why, begun);
                }
            }
        }
    }

    /// Reads a frame, and hands on what it brings.
    fn frame(&mut self, text: String, room: Permit<'_, Message>) -> Step {
        let (step, event) = read(text);
        let Some(Event { sequence, begins, text }) = event else { return step };
        self.pulse.event(self.index);
        if begins.is_some() {
            self.session = begins;
            // The store may take its time; heartbeats may not.
            let logins = self.logins.clone();
            self.beside.spawn(async move { logins.succeeded().await });
        }
        if let Some(session) = &mut self.session {
            session.sequence = sequence;
        }
        room.send(Message::Text(text));
        step
    }
}

/// An event of a frame.
struct Event {
    sequence: u64,
    /// The session that begins with it.
    begins: Option<Session>,
    /// What is handed on.
    text: String,
}

/// What a frame leads to, and the event in it.
fn read(text: String) -> (Step, Option<Event>) {
    let Ok(head) = serde_json::from_str::<Head<'_>>(&text) else { return (Step::Nothing, None) };
    match head.op {
        0 => {}
        1 => return (Step::Beat, None),
        7 => return (Step::End(After::Resume, "Discord asks to connect again"), None),
        9 => {
            let frame: Value = serde_json::from_str(&text).unwrap_or_default();
            let after = if frame.get("d") == Some(&Value::Bool(true)) { After::Resume } else { After::NewSession };
            return (Step::End(after, "the session is no longer valid"), None);
        }
        11 => return (Step::Acknowledged, None),
        _ => return (Step::Nothing, None),
    }
    let (sequence, kind) = (head.s.unwrap_or_default(), head.t.as_deref().unwrap_or_default());
    let (step, begins, text) = match kind {
        "READY" => {
            let frame: Value = serde_json::from_str(&text).unwrap_or_default();
            let data = frame.get("d").unwrap_or(&Value::Null);
            let Some(id) = data.get("session_id").and_then(Value::as_str) else {
                return (Step::End(After::NewSession, "READY without a session"), None);
            };
            let url = data.get("resume_gateway_url").and_then(Value::as_str);
            let session = Session { id: id.to_owned(), url: url.map(str::to_owned), sequence };
            (Step::Begun, Some(session), ready(data, sequence))
        }
        "RESUMED" => (Step::Begun, None, text),
        _ => (Step::Nothing, None, text),
    };
    (step, Some(Event { sequence, begins, text }))
}

/// What is handed on of a frame, as a connection would.
pub(in crate::edges::discord) fn handed_on(frame: &str) -> Option<String> {
    let _interval = serde_json::from_str(frame).ok().as_ref().and_then(interval);
    read(frame.to_owned()).1.map(|event| event.text)
}

/// READY with what is read of it. serenity reads all of it, and cannot begin if it does not know something of the bot's
/// user.
fn ready(data: &Value, sequence: u64) -> String {
    let id = |of: &Value| of.get("id")?.as_str()?.parse().ok().filter(|&id: &u64| id != 0).map(|id| id.to_string());
    let id_of = |name: &str| data.get(name).and_then(id).unwrap_or_else(|| "1".to_owned());
    let user = data.get("user").unwrap_or(&Value::Null);
    let guilds = data.get("guilds").and_then(Value::as_array).into_iter().flatten();
    let guilds: Vec<_> = guilds.filter_map(id).map(|id| json!({ "id": id, "unavailable": true })).collect();
    let application = json!({ "id": id_of("application"), "flags": 0 });
    let shard = data.get("shard").and_then(|shard| <[u32; 2]>::deserialize(shard).ok()).unwrap_or([0, 1]);
    let session = data.get("session_id");
    let user = json!({
        "id": id_of("user"), "username": user.get("username").and_then(Value::as_str).unwrap_or_default(),
        "discriminator": "0", "global_name": null, "avatar": null, "bot": true, "mfa_enabled": false, "email": null,
        "flags": 0, "verified": true,
    });
    let data = json!({
        "v": 10, "user": user, "guilds": guilds, "session_id": session, "resume_gateway_url": "ws://127.0.0.1",
        "shard": shard, "application": application,
    });
    json!({ "op": 0, "s": sequence, "t": "READY", "d": data }).to_string()
}

/// Reads HELLO. The error is how the connection ended before it.
async fn hello(socket: &mut Socket) -> Result<Duration, (After, String)> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                let frame: Value = serde_json::from_str(&text).unwrap_or_default();
                if let Some(interval) = interval(&frame) {
                    return Ok(interval);
                }
            }
            Some(Ok(Message::Close(frame))) => {
                let code = frame.map_or(1005, |frame| u16::from(frame.code));
                return Err((after(code), format!("close code {code}")));
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return Err((After::Resume, "the connection broke before HELLO".to_owned())),
        }
    }
}

/// The heartbeat interval, if the frame is HELLO.
fn interval(hello: &Value) -> Option<Duration> {
    (hello.get("op").and_then(Value::as_u64) == Some(10)).then(|| {
        let interval = hello.pointer("/d/heartbeat_interval").and_then(Value::as_u64).unwrap_or(41_250);
        Duration::from_millis(interval.clamp(INTERVAL.0, INTERVAL.1))
    })
}

async fn beat(socket: &mut Socket, session: Option<&Session>) -> Result<(), ()> {
    send(socket, &json!({ "op": 1, "d": session.map(|session| session.sequence) })).await
}

async fn send(socket: &mut Socket, frame: &Value) -> Result<(), ()> {
    match timeout(SEND_WITHIN, socket.send(Message::Text(frame.to_string()))).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(()),
    }
}

/// Says goodbye, if the other side still listens.
async fn close(socket: &mut Socket, code: u16) {
    let frame = CloseFrame { code: code.into(), reason: "".into() };
    let _gone = timeout(SEND_WITHIN, socket.close(Some(frame))).await;
}

#[cfg(test)]
mod tests {
    use serenity::model::event::{Event as Known, GatewayEvent};

    use super::*;

    /// Whatever stands in READY beside its session, serenity begins with it.
    #[test]
    fn held_01_a_ready_with_what_is_not_known_begins_a_session() {
        let plain = || {
            json!({
                "v": 10, "session_id": "abc", "resume_gateway_url": "wss://gateway.example", "shard": [1, 2],
                "user": { "id": "42", "username": "candor", "discriminator": "0", "avatar": null, "bot": true },
                "guilds": [{ "id": "4", "unavailable": true }], "application": { "id": "42", "flags": 1 },
            })
        };
        let decoration = json!({ "asset": "v2_a_0123456789abcdef0123456789abcdef", "sku_id": "1" });
        let strange = [
            ("/user", json!({ "id": "42", "avatar": "v2_a_0123456789abcdef0123456789abcdef" })),
            ("/user", json!({ "id": "42", "username": "candor", "avatar_decoration_data": decoration })),
            ("/user", json!({ "id": "42", "flags": u64::MAX, "public_flags": -1, "locale": {}, "email": 5 })),
            ("/user", json!({ "id": 42, "username": null })),
            ("/user", Value::Null),
            ("/guilds", json!([{ "id": "4" }, { "id": 5 }, { "id": "0" }, { "id": "x" }, 6, null])),
            ("/guilds", json!({})),
            ("/application", json!({ "id": "42", "flags": u64::MAX, "new": [] })),
            ("/application", Value::Null),
            ("/shard", json!("one")),
            ("/shard", json!([1, -1])),
            ("/v", json!(11)),
            ("/resume_gateway_url", json!(7)),
        ];
        let sent = |data: &Value| json!({ "op": 0, "s": 7, "t": "READY", "d": data }).to_string();
        for (place, value) in strange {
            let mut data = plain();
            *data.pointer_mut(place).unwrap() = value.clone();
            let (step, event) = read(sent(&data));
            let event = event.unwrap();
            assert!(matches!(step, Step::Begun) && event.begins.is_some_and(|session| session.id == "abc"), "{value}");
            let known: GatewayEvent = serde_json::from_str(&event.text).unwrap();
            let GatewayEvent::Dispatch(7, Known::Ready(ready)) = known else { panic!("{place} {value}: {known:?}") };
            assert!(ready.ready.guilds.iter().all(|guild| guild.id.get() == 4), "{place} {value}");
        }
        let mut without = plain();
        without["session_id"] = json!(5);
        assert!(matches!(read(sent(&without)).0, Step::End(After::NewSession, _)));
    }
}
