//! The gateway as serenity sees it: a WebSocket on this machine behind which the bot keeps the sessions itself.
//!
//! serenity 0.12.5 never recovers from a gateway that falls silent in the middle of a handshake, logs in again where
//! Discord allows to resume, waits 5 s after a refused session, spins or reconnects for ever after some close codes,
//! and tells of most of it in its log alone. Nothing of that can be changed through its public API. What was tried
//! before: listening to its log and holding back the lock on the gateway's address (logins could be delayed, silences
//! not noticed), and restarting shards from outside (which costs a login each time).
//!
//! So serenity connects to this relay, gives its IDENTIFY, and gets events, acknowledged heartbeats and nothing else:
//! no close, no invalid session. Towards Discord the relay follows the documentation: a time limit for each step
//! ([`session`](super::session)), RESUME wherever the session may live, a consequence for each close code
//! ([`close`](super::close)), the budget of logins ([`logins`](super::logins)), and growing waits.
//!
//! The relay listens on the loopback interface alone, and answers only under a random path.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use super::close::After;
use super::logins::LoginBudget;
use super::pulse::Pulse;
use super::session::{Ended, Shard};
use crate::edges::discord::rest::{DiscordError, Rest};
use candor_core::record::{Counters, GatewayEvent};

/// The heartbeat interval for serenity. Its heartbeats are acknowledged here.
const INTERVAL: Duration = Duration::from_secs(30);
/// The time for serenity to connect and to send its IDENTIFY.
const LOCAL_WITHIN: Duration = Duration::from_secs(10);
/// How many events wait for serenity.
const EVENTS_WAITING_MAX: usize = 256;
/// The wait after the first connection in a row that came to nothing; it doubles with each further one.
const WAIT_FIRST: Duration = Duration::from_secs(1);
const WAIT_MAX: Duration = Duration::from_secs(30);
/// After so many failures in a row to resume a session, another one begins.
const RESUMES_MAX: u32 = 3;

/// What the relay needs.
pub(super) struct Relay {
    pub(super) rest: Arc<Rest>,
    /// The gateway's address.
    pub(super) url: String,
    pub(super) logins: Arc<LoginBudget>,
    pub(super) pulse: Arc<Pulse>,
    pub(super) counters: Arc<Counters>,
    /// Gets the reason if Discord will not take this bot.
    pub(super) fatal: mpsc::Sender<DiscordError>,
    /// Gets what is still written when a connection is over.
    pub(super) beside: TaskTracker,
}

/// Starts to listen. Returns the address for serenity.
pub(super) async fn listen(relay: Relay) -> std::io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let mut secret = [0; 16];
    getrandom::fill(&mut secret).map_err(|_| std::io::Error::other("no random numbers"))?;
    let path: Arc<str> = format!("/{}", secret.map(|byte| format!("{byte:02x}")).concat()).into();
    let url = format!("ws://{address}{path}");
    let relay = Arc::new(relay);
    tokio::spawn(async move {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                sleep(WAIT_FIRST).await;
                continue;
            };
            let (relay, path) = (Arc::clone(&relay), Arc::clone(&path));
            tokio::spawn(async move { relay.serve(stream, &path).await });
        }
    });
    Ok(url)
}

impl Relay {
    /// Serves one shard of serenity, until it leaves.
    async fn serve(&self, stream: TcpStream, path: &str) {
        // Small frames are to be sent at once.
        let _slower = stream.set_nodelay(true);
        #[expect(clippy::result_large_err, reason = "the library says how a refusal looks")]
        let known = |request: &Request, response: Response| match request.uri().path() == path {
            true => Ok(response),
            false => Err(ErrorResponse::new(None)),
        };
        let Ok(Ok(mut socket)) = timeout(LOCAL_WITHIN, accept_hdr_async(stream, known)).await else { return };
        let hello = json!({ "op": 10, "s": null, "t": null, "d": { "heartbeat_interval": millis(INTERVAL) } });
        if socket.send(Message::Text(hello.to_string())).await.is_err() {
            return;
        }
        let identify = loop {
            let Ok(Some(Ok(message))) = timeout(LOCAL_WITHIN, socket.next()).await else { return };
            let Message::Text(text) = message else { continue };
            let mut frame: Value = serde_json::from_str(&text).unwrap_or_default();
            match frame.get("op").and_then(Value::as_u64) {
                Some(2) => break frame.get_mut("d").map(Value::take).unwrap_or_default(),
                // A session that serenity believes to have. It never had one.
                Some(6) => {
                    let invalid = json!({ "op": 9, "s": null, "t": null, "d": false }).to_string();
                    if socket.send(Message::Text(invalid)).await.is_err() {
                        return;
                    }
                }
                _ => {}
            }
        };
        let (mut sink, mut stream) = socket.split();
        let (events, mut waiting) = mpsc::channel(EVENTS_WAITING_MAX);
        let (answers, leaving) = (events.clone(), CancellationToken::new());
        let reading = async {
            while let Some(Ok(message)) = stream.next().await {
                let is_beat = match message {
                    Message::Text(text) => {
                        let frame: Value = serde_json::from_str(&text).unwrap_or_default();
                        frame.get("op").and_then(Value::as_u64) == Some(1)
                    }
                    Message::Close(_) => break,
                    _ => false,
                };
                let acknowledged = || Message::Text(r#"{"op":11,"s":null,"t":null,"d":null}"#.to_owned());
                if is_beat && answers.send(acknowledged()).await.is_err() {
                    break;
                }
            }
            leaving.cancel();
        };
        let writing = async {
            while let Some(message) = waiting.recv().await {
                if sink.feed(message).await.is_err() || (waiting.is_empty() && sink.flush().await.is_err()) {
                    break;
                }
            }
            // A shard that cannot be written to is served by its next connection.
            leaving.cancel();
        };
        let kept = async {
            self.keep(identify, &events, &leaving).await;
        };
        tokio::select! {
            ((), ()) = async { tokio::join!(reading, kept) } => {}
            () = async { writing.await; std::future::pending().await } => {}
        }
        // serenity waits for the end of its connection.
        let _gone = timeout(LOCAL_WITHIN, sink.close()).await;
    }

    /// Keeps a session at Discord, until serenity leaves.
    async fn keep(&self, mut identify: Value, events: &mpsc::Sender<Message>, leaving: &CancellationToken) {
        // Frames come as text, so that nothing has to be unpacked.
        identify["compress"] = Value::Bool(false);
        let index = identify.pointer("/shard/0").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
        let index = index.unwrap_or_default();
        let (pulse, logins, counters, beside) = (&*self.pulse, &self.logins, &*self.counters, &self.beside);
        let identify = &identify;
        let mut shard = Shard { index, identify, session: None, pulse, logins, counters, events, leaving, beside };
        let (mut url, mut failures, mut refused) = (self.url.clone(), 0_u32, 0_u32);
        let mut session_began = None;
        loop {
            let permit = if shard.session.is_none() {
                let permitted = tokio::select! {
                    permitted = self.logins.permit(&self.rest) => permitted,
                    () = leaving.cancelled() => return,
                };
                match permitted {
                    Ok(permit) => Some(permit),
                    Err(problem) => return self.end(problem).await,
                }
            } else {
                None
            };
            // A proxy is never passed by.
            let own = shard.session.as_ref().and_then(|session| session.url.clone());
            let own = own.filter(|url| self.rest.may_have_token(url));
            let to = own.filter(|_| failures == 0 && self.rest.proxy.is_none());
            let was_login = shard.session.is_none();
            let to = to.unwrap_or_else(|| url.clone());
            let Some(Ended { after, why, begun, was_asked }) = shard.connection(&to, permit).await else {
                return;
            };
            if begun.is_some() {
                // A session that is resumed goes on.
                session_began = begun.filter(|_| was_login).or(session_began);
                self.logins.lasted(session_began.map(|began| began.elapsed()).unwrap_or_default());
            }
            self.counters.gateway.count(if begun.is_some() { GatewayEvent::Lost } else { GatewayEvent::Failed });
            (failures, refused) = match begun {
                Some(_) => (0, 0),
                // Where nobody is reached, the session at Discord lives on.
                None => (failures.saturating_add(1), refused.saturating_add(u32::from(was_asked))),
            };
            match after {
                After::Fatal(problem) => return self.end(problem).await,
                After::NewSession => shard.session = None,
                After::Resume if RESUMES_MAX <= refused => shard.session = None,
                After::Resume => {}
            }
            let wait = match failures {
                0 => Duration::ZERO,
                more => WAIT_FIRST.saturating_mul(1 << (more - 1).min(10)).min(WAIT_MAX),
            };
            let next = if shard.session.is_some() { "resuming" } else { "logging in again" };
            if begun.is_some() {
                info!(shard = index, reason = why, "the connection to Discord ended; {next}");
            } else {
                warn!(shard = index, reason = why, wait_s = wait.as_secs(), "no connection to Discord; {next}");
            }
            tokio::select! {
                () = sleep(wait) => {}
                () = leaving.cancelled() => return,
            }
            // The gateway may have moved.
            if 1 < failures
                && let Ok(gateway) = self.rest.bot_gateway().await
            {
                url = gateway.url;
            }
        }
    }

    async fn end(&self, problem: DiscordError) {
        // Nobody listens once the bot leaves.
        let _leaving = self.fatal.send(problem).await;
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
