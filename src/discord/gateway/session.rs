//! One connection to Discord's gateway, from its first byte to its end. Every step has a time limit.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::warn;

use super::events::{Arrived, Events};
use super::inflate::{FRAME_MAX, Inflater};
use super::logins::{LoginBudget, LoginPermit};
use super::pulse::{Pulse, SILENT_MAX};
use super::sessions::{Session, Sessions};
use crate::payload::{Head, Hello, Kind, Ready, read, read_event};
use crate::rest::{DiscordError, INVALID_INTENTS, INVALID_SHARD, OLD_VERSION, TOO_FEW_SHARDS};
use candor_core::record::{Counters, GatewayEvent};

/// Timeout of the connection, TLS and the upgrade.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// Timeout until READY or RESUMED.
const BEGIN_WITHIN: Duration = Duration::from_secs(20);
/// Timeout of a heartbeat's acknowledgement. With Discord's interval of 41 s, a dead path is noticed within a minute.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(15);
/// Bytes read at once. The default of 128 KiB is zeroed before each read.
const READ_BUFFER: usize = 16 * 1024;
/// Timeout to send one frame, and to close.
const SEND_WITHIN: Duration = Duration::from_secs(5);
/// Discord's interval in milliseconds, if HELLO gives none.
const INTERVAL_USUAL: u64 = 41_250;
/// The accepted range of heartbeat intervals, in milliseconds.
const INTERVAL: (u64, u64) = (100, 45_000);
// A connection with timely acknowledgements must always count as connected.
const _: () =
    assert!(Duration::from_millis(INTERVAL.1).as_millis() + ACKNOWLEDGED_WITHIN.as_millis() <= SILENT_MAX.as_millis());

/// Closes the connection and keeps the session, so that it can be resumed.
const KEEPING: u16 = 4000;

struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    inflater: Inflater,
}

pub(super) struct Identity {
    pub(super) token: SecretString,
    pub(super) intents: u64,
    pub(super) n_shards: u32,
}

impl Identity {
    /// Returns the first frame of a connection: RESUME with a session, else IDENTIFY.
    fn frame(&self, shard: u32, session: Option<&Session>) -> String {
        let token = self.token.expose_secret();
        match session {
            Some(session) => {
                json!({ "op": 6, "d": { "token": token, "session_id": session.id, "seq": session.sequence() } })
            }
            None => json!({ "op": 2, "d": {
                "token": token, "intents": self.intents, "shard": [shard, self.n_shards],
                "properties": { "os": std::env::consts::OS, "browser": "candor", "device": "candor" },
            } }),
        }
        .to_string()
    }
}

#[derive(Debug)]
pub(super) struct Ended {
    pub(super) after: After,
    /// In words, for the log.
    pub(super) why: String,
    /// When the session began or was resumed, if it did.
    pub(super) begun: Option<Instant>,
    /// Whether Discord was asked for a session. If none began, Discord itself refused it.
    pub(super) was_asked: bool,
}

/// The session of a shard, and the observers of its state.
pub(super) struct Shard<'a> {
    pub(super) index: u32,
    pub(super) identity: &'a Identity,
    pub(super) session: Option<Arc<Session>>,
    /// Saves the session for the next process.
    pub(super) sessions: &'a Sessions,
    pub(super) pulse: &'a Pulse,
    pub(super) logins: &'a Arc<LoginBudget>,
    /// Runs store writes that may outlive the connection.
    pub(super) beside: &'a TaskTracker,
    pub(super) counters: &'a Counters,
    pub(super) events: &'a Events,
    pub(super) leaving: &'a CancellationToken,
}

enum Step {
    Nothing,
    Begun,
    Beat,
    Acknowledged,
    End(After, &'static str),
}

impl Shard<'_> {
    /// Connects, and stays until the connection ends or the bot leaves. Returns `None` when the bot leaves. Without a
    /// session it logs in and uses `permit`.
    pub(super) async fn connection(&mut self, url: &str, permit: Option<LoginPermit<'_>>) -> Option<Ended> {
        let lost = |why: String| Some(Ended { after: After::Resume, why, begun: None, was_asked: false });
        let address = format!("{}/?v=10&encoding=json&compress=zstd-stream", url.trim_end_matches('/'));
        let limits = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .max_message_size(Some(FRAME_MAX))
            .max_frame_size(Some(FRAME_MAX));
        let connected = tokio::select! {
            connected = timeout(CONNECT_WITHIN, connect_async_with_config(address, Some(limits), true)) => connected,
            () = self.leaving.cancelled() => return None,
        };
        let mut socket = match connected {
            Ok(Ok((stream, _))) => Socket { stream, inflater: Inflater::default() },
            Ok(Err(problem)) => return lost(format!("no connection: {problem}")),
            Err(_) => return lost("the gateway does not answer".to_owned()),
        };
        let hello = tokio::select! {
            hello = timeout(HELLO_WITHIN, socket.hello()) => hello,
            () = self.leaving.cancelled() => return None,
        };
        let Ok(Ok(interval)) = hello else {
            let ended = match hello {
                Ok(Err(Lost { after, why })) => Ended { after, why, begun: None, was_asked: false },
                _ => Ended { after: After::Resume, why: "no HELLO came".to_owned(), begun: None, was_asked: false },
            };
            socket.close(KEEPING).await;
            return Some(ended);
        };
        // Only after the gateway answered: an outage costs no logins.
        if let Some(permit) = permit {
            permit.used().await;
        }
        if socket.send(self.identity.frame(self.index, self.session.as_deref())).await.is_err() {
            return lost("the connection broke".to_owned());
        }
        let ended = self.stay(&mut socket, interval).await;
        self.pulse.connected(self.index, false);
        ended
    }

    async fn stay(&mut self, socket: &mut Socket, interval: Duration) -> Option<Ended> {
        let mut began = Instant::now();
        let is_resumed = self.session.is_some();
        let mut begun = None;
        // Half an interval replaces the random part that Discord asks for, because a bot has few shards.
        let mut next_beat = began + interval / 2;
        let mut unacknowledged: Option<Instant> = None;
        let ended = |after, why: &str, begun| Some(Ended { after, why: why.to_owned(), begun, was_asked: true });
        loop {
            let room = match self.events.try_room() {
                Some(room) => room,
                None => {
                    let since = Instant::now();
                    let room = match self.wait_for_room(socket, &mut next_beat, interval).await {
                        Ok(Some(room)) => room,
                        Ok(None) => return None,
                        Err(()) => return ended(After::Resume, "the connection broke", begun),
                    };
                    // Nothing was read meanwhile, so do not count this time as silence.
                    began += since.elapsed();
                    unacknowledged = unacknowledged.map(|at| at + since.elapsed());
                    room
                }
            };
            let late = unacknowledged.map(|at| at + ACKNOWLEDGED_WITHIN.min(interval));
            let received = tokio::select! {
                received = socket.frame() => received,
                () = sleep_until(next_beat) => {
                    if socket.send(self.beat()).await.is_err() {
                        return ended(After::Resume, "the connection broke", begun);
                    }
                    unacknowledged.get_or_insert_with(Instant::now);
                    next_beat = Instant::now() + interval;
                    continue;
                }
                () = sleep_until(late.unwrap_or(began)), if late.is_some() => {
                    socket.close(KEEPING).await;
                    return ended(After::Resume, "a heartbeat was not acknowledged", begun);
                }
                () = sleep_until(began + BEGIN_WITHIN), if begun.is_none() => {
                    socket.close(KEEPING).await;
                    let why = if self.session.is_some() { "RESUME was not answered" } else { "IDENTIFY was not answered" };
                    return ended(After::Resume, why, begun);
                }
                () = self.leaving.cancelled() => {
                    socket.close(KEEPING).await;
                    return None;
                }
            };
            let frame = match received {
                Ok(frame) => frame,
                Err(lost) => return ended(lost.after, &lost.why, begun),
            };
            if self.leaving.is_cancelled() {
                // Discord replays it to the next process.
                socket.close(KEEPING).await;
                return None;
            }
            match self.frame(&frame, room) {
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
                    socket.close(KEEPING).await;
                    return ended(after, why, begun);
                }
            }
        }
    }

    /// Waits until another event can be processed, and keeps sending heartbeats. Returns `None` when the bot leaves.
    async fn wait_for_room(
        &self,
        socket: &mut Socket,
        next_beat: &mut Instant,
        interval: Duration,
    ) -> Result<Option<OwnedSemaphorePermit>, ()> {
        loop {
            tokio::select! {
                room = self.events.room() => return Ok(room),
                () = sleep_until(*next_beat) => {
                    socket.send(self.beat()).await?;
                    *next_beat = Instant::now() + interval;
                }
                () = self.leaving.cancelled() => {
                    socket.close(KEEPING).await;
                    return Ok(None);
                }
            }
        }
    }

    fn beat(&self) -> String {
        json!({ "op": 1, "d": self.session.as_ref().map(|session| session.sequence()) }).to_string()
    }

    /// Parses a frame and hands on its event.
    fn frame(&mut self, frame: &Utf8Bytes, room: OwnedSemaphorePermit) -> Step {
        let Some(head) = Head::read(frame) else {
            warn!(shard = self.index, bytes = frame.len(), "a frame of the gateway cannot be read");
            return Step::Nothing;
        };
        match head.operation {
            0 => {}
            1 => return Step::Beat,
            7 => return Step::End(After::Resume, "Discord asks to connect again"),
            9 => {
                let may_resume = head.data.trim() == "true";
                let after = if may_resume { After::Resume } else { After::NewSession };
                return Step::End(after, "the session is no longer valid");
            }
            11 => return Step::Acknowledged,
            _ => return Step::Nothing,
        }
        self.pulse.event(self.index);
        let mut step = Step::Nothing;
        if head.kind == Some(Kind::Ready) {
            let Some(ready) = read_event::<Ready<'_>>(frame, &head) else {
                return Step::End(After::NewSession, "READY without a session");
            };
            let url = ready.resume_gateway_url.map(Cow::into_owned);
            self.session = Some(Session::new(ready.session_id.into_owned(), url, head.sequence));
            self.sessions.set(self.index, self.session.clone());
            // The store may be slow; heartbeats must not wait for it.
            let logins = self.logins.clone();
            self.beside.spawn(async move { logins.succeeded().await });
            step = Step::Begun;
        }
        if head.kind == Some(Kind::Resumed) {
            step = Step::Begun;
        }
        let progress = self.session.as_ref().map(|session| session.arrived(head.sequence));
        self.events.take(frame, &head, Arrived { room, progress });
        step
    }
}

struct Lost {
    after: After,
    why: String,
}

impl Socket {
    async fn frame(&mut self) -> Result<Utf8Bytes, Lost> {
        let lost = |why: &str| Lost { after: After::Resume, why: why.to_owned() };
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Binary(packed))) => {
                    let unpacked = self.inflater.frame(&packed);
                    return unpacked.map(Utf8Bytes::from).map_err(|_| lost("a frame cannot be unpacked"));
                }
                Some(Ok(Message::Close(frame))) => {
                    let code = frame.map_or(1005, |frame| u16::from(frame.code));
                    return Err(Lost { after: after(code), why: format!("close code {code}") });
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(lost("the connection broke")),
            }
        }
    }

    async fn hello(&mut self) -> Result<Duration, Lost> {
        loop {
            if let Some(interval) = interval(&self.frame().await?) {
                return Ok(interval);
            }
        }
    }

    async fn send(&mut self, frame: String) -> Result<(), ()> {
        match timeout(SEND_WITHIN, self.stream.send(Message::text(frame))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(()),
        }
    }

    /// Sends a close frame, if the other side still listens.
    async fn close(&mut self, code: u16) {
        let frame = CloseFrame { code: code.into(), reason: "".into() };
        let _gone = timeout(SEND_WITHIN, self.stream.close(Some(frame))).await;
    }
}

fn interval(frame: &str) -> Option<Duration> {
    let head = Head::read(frame).filter(|head| head.operation == 10)?;
    let interval = read::<Hello>(head.data).and_then(|hello| hello.heartbeat_interval).unwrap_or(INTERVAL_USUAL);
    Some(Duration::from_millis(interval.clamp(INTERVAL.0, INTERVAL.1)))
}

/// The next step after the end of a connection.
#[derive(Debug)]
pub(super) enum After {
    /// Resume the session over another connection.
    Resume,
    NewSession,
    /// Discord rejects this bot.
    Fatal(DiscordError),
}

/// Returns the next step after a close code. See Discord's documentation, "Gateway Close Event Codes". Unknown codes are
/// resumed: Discord says so if that is not possible.
pub(super) fn after(code: u16) -> After {
    match code {
        4003 | 4006 | 4007 | 4009 => After::NewSession,
        4004 => After::Fatal(DiscordError::TokenRefused),
        4010 => After::Fatal(DiscordError::Refused(INVALID_SHARD)),
        4011 => After::Fatal(DiscordError::Refused(TOO_FEW_SHARDS)),
        4012 => After::Fatal(DiscordError::Refused(OLD_VERSION)),
        4013 => After::Fatal(DiscordError::Refused(INVALID_INTENTS)),
        4014 => After::Fatal(DiscordError::MissingIntent),
        _ => After::Resume,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_close_code_has_its_consequence() {
        for code in [4004, 4010, 4011, 4012, 4013, 4014] {
            let After::Fatal(problem) = after(code) else { panic!("{code} is not fatal") };
            assert_eq!(problem.exit_code(), 78, "{code}");
        }
        for code in [4003, 4006, 4007, 4009] {
            assert!(matches!(after(code), After::NewSession), "{code}");
        }
        for code in [1000, 1001, 1006, 1011, 4000, 4001, 4002, 4005, 4008, 4999] {
            assert!(matches!(after(code), After::Resume), "{code}");
        }
    }
}
