//! Sessions and connections. A session outlives its connection for as long as it may be resumed.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use crate::gateway::intents::filtered_message;
use crate::snowflake::shard_of;

/// How many events a session keeps for a RESUME.
const BACKLOG_MAX: usize = 1000;
/// How many sessions without a connection are kept.
const DETACHED_MAX: usize = 16;

/// An order to the task of a connection.
#[derive(Clone, Debug)]
pub(crate) enum Control {
    /// This text frame.
    Send(String),
    /// A close frame with this code, then the end.
    Close(u16),
    /// The end without a close frame.
    Drop,
}

/// What a session identified as.
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

/// What came of a RESUME.
pub(crate) enum Resumed {
    Yes,
    /// The bot claims to have seen an event that was never sent.
    NeverSentThatMuch,
    Unknown,
}

/// Everybody who is or was connected.
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
    /// The codes that the twin closed with because of the bot.
    pub(crate) closes: Vec<u16>,
    last_identify: Option<Instant>,
    pub(crate) mutes_heartbeats: bool,
    pub(crate) refuses_resume: bool,
}

impl Session {
    fn send(&mut self, event: &str, data: &Value) {
        self.sequence += 1;
        let frame = json!({"op": 0, "s": self.sequence, "t": event, "d": data}).to_string();
        if self.backlog.len() == BACKLOG_MAX {
            self.backlog.pop_front();
        }
        self.backlog.push_back((self.sequence, frame.clone()));
        self.push(frame);
    }

    fn push(&self, frame: String) {
        if let Some((_, sender)) = &self.link {
            // A connection that just ended loses the frame; the backlog has it.
            drop(sender.send(Control::Send(frame)));
        }
    }

    fn serves(&self, data: &Value) -> bool {
        let guild = data["guild_id"].as_str().and_then(|id| id.parse().ok());
        let (index, n_shards) = self.identity.shard;
        guild.map_or(index == 0, |guild| shard_of(guild, n_shards) == index)
    }
}

impl Hub {
    /// Registers a connection and returns its number.
    pub(crate) fn open(&mut self, sender: UnboundedSender<Control>) -> u64 {
        self.n_opened += 1;
        self.connections.insert(self.n_opened, sender);
        self.n_opened
    }

    /// Forgets a connection. The codes 1000 and 1001, sent by the bot, end its session for good.
    pub(crate) fn ended(&mut self, connection: u64, close_code: Option<u16>) {
        self.connections.remove(&connection);
        if matches!(close_code, Some(1000 | 1001)) {
            self.forget(connection);
        }
        for session in &mut self.sessions {
            session.link.take_if(|(id, _)| *id == connection);
        }
    }

    /// Counts a heartbeat and says whether to acknowledge it.
    pub(crate) fn heartbeat(&mut self) -> bool {
        self.n_heartbeats += 1;
        !self.mutes_heartbeats
    }

    pub(crate) fn n_connected(&self) -> usize {
        self.connections.len()
    }

    /// Whether some session has a connection.
    pub(crate) fn is_ready(&self) -> bool {
        self.sessions.iter().any(|session| session.link.is_some())
    }

    /// Ends the session of a connection for good.
    pub(crate) fn forget(&mut self, connection: u64) {
        self.sessions.retain(|session| session.link.as_ref().is_none_or(|(id, _)| *id != connection));
    }

    /// Ends every session, and closes every connection but this one.
    pub(crate) fn end_all(&mut self, except: u64, code: u16) {
        self.sessions.clear();
        for sender in self.connections.iter().filter(|(id, _)| **id != except).map(|(_, sender)| sender) {
            drop(sender.send(Control::Close(code)));
        }
    }

    /// Counts an IDENTIFY, unless the last one was too short ago.
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
        session.send("READY", &ready);
        self.sessions.push(session);
    }

    /// Continues a session: what it missed, then RESUMED.
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
            return Resumed::NeverSentThatMuch;
        }
        session.link = Some((connection, sender.clone()));
        for (sequence, frame) in &session.backlog {
            if *sequence > last_seen {
                session.push(frame.clone());
            }
        }
        session.send("RESUMED", &json!({"_trace": []}));
        self.n_resumes += 1;
        Resumed::Yes
    }

    /// Sends an event to every session of the guild's shard, or of shard 0 for direct channels.
    pub(crate) fn dispatch(&mut self, event: &str, data: &Value) {
        for session in self.sessions.iter_mut().filter(|session| session.serves(data)) {
            session.send(event, data);
        }
    }

    /// The same for a message, of which each session sees what its intents allow.
    pub(crate) fn dispatch_message(&mut self, event: &str, message: &Value) {
        for session in self.sessions.iter_mut().filter(|session| session.serves(message)) {
            if let Some(message) = filtered_message(message, session.identity.intents) {
                session.send(event, &message);
            }
        }
    }

    /// Sends an event to the session on this connection.
    pub(crate) fn dispatch_to_connection(&mut self, connection: u64, event: &str, data: &Value) {
        for session in &mut self.sessions {
            if session.link.as_ref().is_some_and(|(id, _)| *id == connection) {
                session.send(event, data);
            }
        }
    }

    /// Gives an order to every connection. Sessions wait for a RESUME from here on.
    pub(crate) fn order(&mut self, control: &Control) {
        for sender in self.connections.values() {
            drop(sender.send(control.clone()));
        }
        for session in &mut self.sessions {
            session.link = None;
        }
    }

    /// Tells every connection that its session is invalid.
    pub(crate) fn invalidate(&mut self, resumable: bool) {
        self.order(&Control::Send(json!({"op": 9, "s": null, "t": null, "d": resumable}).to_string()));
        if !resumable {
            self.sessions.clear();
        }
    }
}
