//! The gateway: one task per websocket, and a hub of sessions.

pub(crate) mod hub;
pub(crate) mod intents;
mod pack;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::SinkExt as _;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

pub use crate::gateway::hub::Silence;
use crate::gateway::hub::{Control, Identity, Resumed};
use crate::gateway::pack::Packer;
use crate::payload;
use crate::payload::snowflake::shard_of;
use crate::twin::state::State;

/// Larger frames close with 4002. See Discord's docs, "Sending Events".
const PAYLOAD_BYTES_MAX: usize = 4096;

/// More frames in this time close with 4008. See Discord's docs, gateway "Rate Limiting".
const FRAMES_MAX: usize = 120;
const FRAMES_WINDOW: Duration = Duration::from_secs(60);

/// Discord's gateway close codes.
const UNKNOWN_OPCODE: u16 = 4001;
const DECODE_ERROR: u16 = 4002;
const NOT_AUTHENTICATED: u16 = 4003;
const AUTHENTICATION_FAILED: u16 = 4004;
const ALREADY_AUTHENTICATED: u16 = 4005;
const INVALID_SEQUENCE: u16 = 4007;
const RATE_LIMITED: u16 = 4008;
const SESSION_TIMED_OUT: u16 = 4009;
const INVALID_SHARD: u16 = 4010;
const SHARDING_REQUIRED: u16 = 4011;
const INVALID_API_VERSION: u16 = 4012;

/// The reaction to a frame.
enum Reaction {
    Nothing,
    Send(Value),
    Close(u16),
}

/// One websocket.
struct Connection {
    state: Arc<State>,
    id: u64,
    sender: mpsc::UnboundedSender<Control>,
    identified: bool,
    packer: Packer,
    /// When the frames of the last minute were received.
    frames: VecDeque<Instant>,
    /// Without a heartbeat until then, the session ends.
    heartbeat_deadline: Instant,
}

/// Serves one websocket until it closes or the twin stops.
pub(crate) async fn serve(state: Arc<State>, mut socket: WebSocket, query: String, mut stop: watch::Receiver<bool>) {
    if query.split('&').any(|pair| pair.starts_with("v=") && pair != "v=10") {
        state.hub().closes.push(INVALID_API_VERSION);
        return close(&mut socket, INVALID_API_VERSION).await;
    }
    let (sender, mut controls) = mpsc::unbounded_channel();
    let id = state.hub().open(sender.clone());
    state.changed.notify_waiters();
    let interval = u64::try_from(state.options.heartbeat.as_millis()).unwrap_or(u64::MAX);
    let hello = json!({"op": 10, "s": null, "t": null, "d": {"heartbeat_interval": interval}});
    let heartbeat_deadline = Instant::now() + heartbeat_timeout(&state);
    let packer = Packer::of(&query);
    let mut connection =
        Connection { state, id, sender, identified: false, packer, frames: VecDeque::new(), heartbeat_deadline };
    let mut ending = None;
    let is_silent = connection.state.hub().silence == Some(Silence::Hello);
    if is_silent || connection.send(&mut socket, &hello).await.is_ok() {
        ending = connection.run(&mut socket, &mut controls, &mut stop).await;
    }
    connection.state.hub().disconnected(id, ending);
    connection.state.changed.notify_waiters();
}

impl Connection {
    /// Runs until the connection ends. Returns the close code that the bot sent, if it sent one.
    async fn run(
        &mut self,
        socket: &mut WebSocket,
        controls: &mut mpsc::UnboundedReceiver<Control>,
        stop: &mut watch::Receiver<bool>,
    ) -> Option<u16> {
        loop {
            tokio::select! {
                // The sender belongs to the handles: an error means that the last handle is gone.
                _ = stop.changed() => return None,
                control = controls.recv() => match control? {
                    Control::Send(text) => {
                        socket.feed(self.packer.frame(text)).await.ok()?;
                        // What is there to be sent together is written together.
                        if controls.is_empty() {
                            socket.flush().await.ok()?;
                        }
                    }
                    Control::Close(code) => { close(socket, code).await; return None; }
                    Control::Drop => { socket.flush().await.ok()?; return None; }
                },
                () = tokio::time::sleep_until(self.heartbeat_deadline) => {
                    self.state.hub().end_session(self.id);
                    self.close(socket, SESSION_TIMED_OUT).await;
                    return None;
                }
                received = socket.recv() => match received?.ok()? {
                    Message::Text(text) => match self.handle(&text) {
                        Reaction::Nothing => {}
                        Reaction::Send(frame) => self.send(socket, &frame).await.ok()?,
                        Reaction::Close(code) => { self.close(socket, code).await; return None; }
                    },
                    Message::Close(frame) => return Some(frame.map_or(1005, |frame| frame.code)),
                    Message::Binary(_) | Message::Ping(_) | Message::Pong(_) => {}
                },
            }
        }
    }

    async fn send(&mut self, socket: &mut WebSocket, frame: &Value) -> Result<(), axum::Error> {
        socket.send(self.packer.frame(frame.to_string())).await
    }

    /// Closes the connection because of a protocol error of the bot, and records the code.
    async fn close(&self, socket: &mut WebSocket, code: u16) {
        self.state.hub().closes.push(code);
        close(socket, code).await;
    }

    /// Counts a frame. Returns whether the bot sent too many in the last minute.
    fn is_too_fast(&mut self) -> bool {
        let now = Instant::now();
        self.frames.push_back(now);
        while self.frames.front().is_some_and(|at| now.duration_since(*at) >= FRAMES_WINDOW) {
            self.frames.pop_front();
        }
        self.frames.len() > FRAMES_MAX
    }

    fn handle(&mut self, text: &str) -> Reaction {
        if self.is_too_fast() {
            return Reaction::Close(RATE_LIMITED);
        }
        let Ok(frame) = serde_json::from_str::<Value>(text) else { return Reaction::Close(DECODE_ERROR) };
        if text.len() > PAYLOAD_BYTES_MAX {
            return Reaction::Close(DECODE_ERROR);
        }
        let reaction = match frame["op"].as_u64() {
            Some(1) => {
                self.heartbeat_deadline = Instant::now() + heartbeat_timeout(&self.state);
                let acknowledges = self.state.hub().heartbeat();
                if acknowledges {
                    Reaction::Send(json!({"op": 11, "s": null, "t": null, "d": null}))
                } else {
                    Reaction::Nothing
                }
            }
            Some(2) if self.identified => Reaction::Close(ALREADY_AUTHENTICATED),
            Some(2) if self.is_silent(Silence::Identify) => Reaction::Nothing,
            Some(6) if self.is_silent(Silence::Resume) => Reaction::Nothing,
            Some(2) => self.identify(&frame["d"]),
            Some(6) if self.identified => Reaction::Close(ALREADY_AUTHENTICATED),
            Some(6) => self.resume(&frame["d"]),
            Some(3 | 4 | 8) if self.identified => Reaction::Nothing,
            Some(3 | 4 | 8) => Reaction::Close(NOT_AUTHENTICATED),
            _ => Reaction::Close(UNKNOWN_OPCODE),
        };
        self.state.changed.notify_waiters();
        reaction
    }

    fn is_silent(&self, step: Silence) -> bool {
        self.state.hub().silence == Some(step)
    }

    fn identify(&mut self, data: &Value) -> Reaction {
        let mut hub = self.state.hub();
        let options = &self.state.options;
        let mut kept = data.clone();
        if let Some(fields) = kept.as_object_mut() {
            fields.remove("token");
        }
        hub.identifies.push(kept);
        if !options.accepts(data["token"].as_str().unwrap_or_default()) {
            return Reaction::Close(AUTHENTICATION_FAILED);
        }
        let wanted = match intents::check(&data["intents"], options) {
            Ok(wanted) => wanted,
            Err(code) => return Reaction::Close(code),
        };
        let shard = match &data["shard"] {
            Value::Null => (0, 1),
            pair => match (pair[0].as_u64(), pair[1].as_u64()) {
                (Some(index), Some(n_shards)) if index < n_shards => (index, n_shards),
                _ => return Reaction::Close(INVALID_SHARD),
            },
        };
        if options.requires_sharding && shard.1 == 1 {
            return Reaction::Close(SHARDING_REQUIRED);
        }
        if hub.n_started >= options.session_starts {
            // Discord then resets the token, which ends every session.
            hub.end_all(self.id, AUTHENTICATION_FAILED);
            return Reaction::Close(AUTHENTICATION_FAILED);
        }
        if !hub.may_identify(options.identify_every) {
            return Reaction::Send(invalid_session(false));
        }
        let session = self.state.new_id();
        let owns_guild = shard_of(payload::GUILD_ID, shard.1) == shard.0;
        let ready = json!({
            "v": 10, "user": payload::current_user(), "session_id": session, "session_type": "normal",
            "guilds": if owns_guild { json!([{"id": payload::GUILD_ID.to_string(), "unavailable": true}]) } else { json!([]) },
            "resume_gateway_url": self.state.gateway_url(), "shard": [shard.0, shard.1],
            "application": {"id": payload::APPLICATION_ID.to_string(), "flags": options.flags()},
            "private_channels": [], "presences": [], "relationships": [], "user_settings": {}, "_trace": [],
        });
        hub.add_session(Identity { session, shard, intents: wanted }, self.id, self.sender.clone(), ready);
        if owns_guild && wanted & intents::GUILDS != 0 {
            hub.dispatch_to_connection(self.id, "GUILD_CREATE", &payload::guild());
        }
        self.identified = true;
        Reaction::Nothing
    }

    fn resume(&mut self, data: &Value) -> Reaction {
        if !self.state.options.accepts(data["token"].as_str().unwrap_or_default()) {
            return Reaction::Close(AUTHENTICATION_FAILED);
        }
        let session = data["session_id"].as_str().unwrap_or_default();
        let last_seen = data["seq"].as_u64().unwrap_or(0);
        match self.state.hub().resume(session, last_seen, self.id, &self.sender) {
            Resumed::Yes => {
                self.identified = true;
                Reaction::Nothing
            }
            Resumed::InvalidSequence => Reaction::Close(INVALID_SEQUENCE),
            Resumed::Unknown => Reaction::Send(invalid_session(false)),
        }
    }
}

/// How long the twin waits for a heartbeat: two intervals, because the machine may be busy.
fn heartbeat_timeout(state: &State) -> Duration {
    state.options.heartbeat.saturating_mul(2)
}

fn invalid_session(resumable: bool) -> Value {
    json!({"op": 9, "s": null, "t": null, "d": resumable})
}

async fn close(socket: &mut WebSocket, code: u16) {
    // The peer may be gone already; then the frame is not needed.
    drop(socket.send(Message::Close(Some(CloseFrame { code, reason: "".into() }))).await);
}
