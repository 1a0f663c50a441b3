//! Gateway sessions and connections. A session outlives its connection while it can be resumed.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use crate::gateway::intents::filtered_message;
use crate::payload::snowflake::shard_of;

/// How many events a session keeps for a RESUME.
const BACKLOG_MAX: usize = 1000;
/// How many sessions without a connection are kept for a RESUME.
const DETACHED_MAX: usize = 16;

/// An instruction to the task of a connection.
#[derive(Clone, Debug)]
pub(crate) enum Control {
    /// Send this text frame.
    Send(String),
    /// Send a close frame with this code, then end.
    Close(u16),
    /// End without a close frame.
    Drop,
}

/// The result of an IDENTIFY.
pub(crate) struct Identity {
    pub(crate) session: String,
    pub(crate) shard: (u64, u64),
    pub(crate) intents: u64,
}

struct Session {
    identity: Identity,
    sequence: u64,
    backlog: VecDeque<(u64, String)>,
    link: Option<(u64, UnboundedSender<Control>)>,
}

/// The result of a RESUME.
pub(crate) enum Resumed {
    Yes,
    /// The bot's sequence number is higher than that of the last event.
    InvalidSequence,
    Unknown,
}

/// A step of the handshake that the gateway does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The upgrade to a WebSocket.
    Upgrade,
    /// The connection: no HELLO comes.
    Hello,
    /// IDENTIFY: no READY comes.
    Identify,
    /// RESUME: no RESUMED comes.
    Resume,
}

/// All sessions and connections, with counters for tests.
#[derive(Default)]
pub(crate) struct Hub {
    sessions: Vec<Session>,
    connections: BTreeMap<u64, UnboundedSender<Control>>,
    pub(crate) n_opened: u64,
    pub(crate) n_heartbeats: u64,
    pub(crate) n_resumes: u64,
    /// The `d` of every IDENTIFY, without its token.
    pub(crate) identifies: Vec<Value>,
    /// Sessions started today.
    pub(crate) n_started: u64,
    /// The close codes that the twin sent because of protocol errors of the bot.
    pub(crate) closes: Vec<u16>,
    last_identify: Option<Instant>,
    pub(crate) mutes_heartbeats: bool,
    pub(crate) refuses_resume: bool,
    pub(crate) silence: Option<Silence>,
}

impl Session {
    /// Sends an event. `data` is JSON.
    fn send(&mut self, event: &str, data: &str) {
        self.sequence += 1;
        let frame = format!(r#"{{"t":"{event}","s":{},"op":0,"d":{data}}}"#, self.sequence);
        if self.backlog.len() == BACKLOG_MAX {
            self.backlog.pop_front();
        }
        self.backlog.push_back((self.sequence, frame.clone()));
        self.push(frame);
    }

    fn push(&self, frame: String) {
        if let Some((_, sender)) = &self.link {
            // If the connection has just ended, the frame is still in the backlog.
            drop(sender.send(Control::Send(frame)));
        }
    }

    fn serves(&self, guild: Option<u64>) -> bool {
        let (index, n_shards) = self.identity.shard;
        guild.map_or(index == 0, |guild| shard_of(guild, n_shards) == index)
    }
}

/// The guild that an event is about.
fn guild_of(data: &Value) -> Option<u64> {
    data["guild_id"].as_str()?.parse().ok()
}

impl Hub {
    /// Registers a connection and returns its number.
    pub(crate) fn open(&mut self, sender: UnboundedSender<Control>) -> u64 {
        self.n_opened += 1;
        self.connections.insert(self.n_opened, sender);
        self.n_opened
    }

    /// Removes a connection. The close codes 1000 and 1001, sent by the bot, also end its session.
    pub(crate) fn disconnected(&mut self, connection: u64, close_code: Option<u16>) {
        self.connections.remove(&connection);
        if matches!(close_code, Some(1000 | 1001)) {
            self.end_session(connection);
        }
        for session in &mut self.sessions {
            session.link.take_if(|(id, _)| *id == connection);
        }
    }

    /// Counts a heartbeat. Returns whether to acknowledge it.
    pub(crate) fn heartbeat(&mut self) -> bool {
        self.n_heartbeats += 1;
        !self.mutes_heartbeats
    }

    pub(crate) fn n_connected(&self) -> usize {
        self.connections.len()
    }

    /// Whether a session has a connection.
    pub(crate) fn is_ready(&self) -> bool {
        self.sessions.iter().any(|session| session.link.is_some())
    }

    /// Ends the session of a connection, so that it cannot be resumed.
    pub(crate) fn end_session(&mut self, connection: u64) {
        self.sessions.retain(|session| session.link.as_ref().is_none_or(|(id, _)| *id != connection));
    }

    /// Ends every session, and closes every connection except this one.
    pub(crate) fn end_all(&mut self, except: u64, code: u16) {
        self.sessions.clear();
        for sender in self.connections.iter().filter(|(id, _)| **id != except).map(|(_, sender)| sender) {
            drop(sender.send(Control::Close(code)));
        }
    }

    /// Counts an IDENTIFY. Returns false if the previous one was too recent.
    pub(crate) fn may_identify(&mut self, at_least_every: Duration) -> bool {
        let now = Instant::now();
        let may = self.last_identify.is_none_or(|last| now.duration_since(last) >= at_least_every);
        if may {
            self.last_identify = Some(now);
            self.n_started += 1;
        }
        may
    }

    /// Starts a session with READY.
    pub(crate) fn add_session(
        &mut self,
        identity: Identity,
        connection: u64,
        sender: UnboundedSender<Control>,
        ready: Value,
    ) {
        let n_detached = self.sessions.iter().filter(|session| session.link.is_none()).count();
        if n_detached >= DETACHED_MAX
            && let Some(oldest) = self.sessions.iter().position(|session| session.link.is_none())
        {
            self.sessions.remove(oldest);
        }
        let link = Some((connection, sender));
        let mut session = Session { identity, sequence: 0, backlog: VecDeque::new(), link };
        session.send("READY", &ready.to_string());
        self.sessions.push(session);
    }

    /// Resumes a session: sends the events that it missed, then RESUMED.
    pub(crate) fn resume(
        &mut self,
        id: &str,
        last_seen: u64,
        connection: u64,
        sender: &UnboundedSender<Control>,
    ) -> Resumed {
        if self.refuses_resume {
            self.sessions.retain(|session| session.identity.session != id);
            return Resumed::Unknown;
        }
        let Some(index) = self.sessions.iter().position(|session| session.identity.session == id) else {
            return Resumed::Unknown;
        };
        let Some(session) = self.sessions.get_mut(index) else { return Resumed::Unknown };
        if last_seen > session.sequence {
            self.sessions.remove(index);
            return Resumed::InvalidSequence;
        }
        session.link = Some((connection, sender.clone()));
        for (sequence, frame) in &session.backlog {
            if *sequence > last_seen {
                session.push(frame.clone());
            }
        }
        session.send("RESUMED", r#"{"_trace":[]}"#);
        self.n_resumes += 1;
        Resumed::Yes
    }

    /// Sends an event to every session of the guild's shard, or of shard 0 if it has no guild.
    pub(crate) fn dispatch(&mut self, event: &str, data: &Value) {
        self.dispatch_text(event, guild_of(data), &data.to_string());
    }

    /// The same with data that is JSON already.
    pub(crate) fn dispatch_text(&mut self, event: &str, guild: Option<u64>, data: &str) {
        for session in self.sessions.iter_mut().filter(|session| session.serves(guild)) {
            session.send(event, data);
        }
    }

    /// Sends an event of a guild to the sessions with this intent.
    pub(crate) fn dispatch_guild(&mut self, (event, intent): (&str, u64), guild: u64, data: &Value) {
        let wants = |session: &&mut Session| session.serves(Some(guild)) && session.identity.intents & intent != 0;
        for session in self.sessions.iter_mut().filter(wants) {
            session.send(event, &data.to_string());
        }
    }

    /// Sends a message event. Each session receives it as its intents allow.
    pub(crate) fn dispatch_message(&mut self, event: &str, message: &Value) {
        let guild = guild_of(message);
        for session in self.sessions.iter_mut().filter(|session| session.serves(guild)) {
            if let Some(message) = filtered_message(message, session.identity.intents) {
                session.send(event, &message.to_string());
            }
        }
    }

    /// Sends an event to the session on this connection.
    pub(crate) fn dispatch_to_connection(&mut self, connection: u64, event: &str, data: &Value) {
        for session in &mut self.sessions {
            if session.link.as_ref().is_some_and(|(id, _)| *id == connection) {
                session.send(event, &data.to_string());
            }
        }
    }

    /// Gives an instruction to every connection and detaches the sessions, which can then be resumed.
    pub(crate) fn send_to_all(&mut self, control: &Control) {
        for sender in self.connections.values() {
            drop(sender.send(control.clone()));
        }
        for session in &mut self.sessions {
            session.link = None;
        }
    }

    /// Tells every connection that its session is invalid.
    pub(crate) fn invalidate(&mut self, resumable: bool) {
        self.send_to_all(&Control::Send(json!({"op": 9, "s": null, "t": null, "d": resumable}).to_string()));
        if !resumable {
            self.sessions.clear();
        }
    }
}
