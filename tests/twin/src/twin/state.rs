//! The state of a twin, shared by its handle, its REST server and its gateway.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::gateway::hub::Hub;
use crate::load::meter::Meter;
use crate::payload::snowflake::Snowflakes;
use crate::payload::{CHANNEL_ID, DM_CHANNEL_ID};
use crate::record::Journal;
use crate::rest::fault::Faults;
use crate::rest::rate::Limiter;
use crate::twin::options::Options;
use crate::twin::page::viewer::Viewer;

/// The shared state. Each part has its own lock; no lock is held across an await.
pub(crate) struct State {
    pub(crate) options: Options,
    pub(crate) address: SocketAddr,
    pub(crate) started: Instant,
    pub(crate) ids: Snowflakes,
    /// Notified after every change that a test may wait for.
    pub(crate) changed: Notify,
    world: Mutex<World>,
    journal: Mutex<Journal>,
    faults: Mutex<Faults>,
    limiter: Mutex<Limiter>,
    hub: Mutex<Hub>,
    meter: Mutex<Option<Meter>>,
    viewer: Mutex<Viewer>,
}

/// The objects that Discord would store: commands, messages, interactions and channels.
#[derive(Default)]
pub(crate) struct World {
    /// The registered commands, as Discord returns them.
    pub(crate) commands: Vec<Value>,
    /// Commands created per scope today.
    pub(crate) n_created: BTreeMap<String, usize>,
    /// How many requests were answered with 401, 403 or 429. Discord counts them per IP address.
    pub(crate) n_invalid: u64,
    /// Interactions that were sent, by token.
    pub(crate) interactions: HashMap<String, IssuedInteraction>,
    /// Messages by id.
    pub(crate) messages: HashMap<String, Value>,
    /// Message ids by channel and nonce, for `enforce_nonce`.
    pub(crate) nonces: HashMap<(String, String), String>,
    /// The files of messages, by their path on Discord's host for files.
    pub(crate) files: HashMap<String, Vec<u8>>,
    /// Threads by id.
    pub(crate) threads: HashMap<String, Thread>,
    /// The roles of members of the guild that were changed; `None` for who left it.
    pub(crate) members: HashMap<u64, Option<Vec<u64>>>,
    /// The types of channels of the guild that are no text channels.
    pub(crate) kinds: HashMap<String, u64>,
    /// What nobody may do in a channel of the guild, as bits of permissions.
    pub(crate) denied: HashMap<String, u64>,
    /// The categories of channels.
    pub(crate) categories: HashMap<String, u64>,
    /// Known channels, and whether each is a DM channel.
    pub(crate) channels: BTreeMap<String, bool>,
}

/// A thread of the guild.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    /// The channel that it belongs to.
    pub(crate) parent: u64,
    pub(crate) title: String,
    /// Who opened it.
    pub(crate) owner: u64,
}

/// What the twin keeps about an interaction that it sent.
#[derive(Clone, Debug)]
pub(crate) struct IssuedInteraction {
    pub(crate) id: String,
    pub(crate) kind: u64,
    pub(crate) channel: String,
    pub(crate) issued_ms: u64,
    pub(crate) acknowledged: bool,
    /// Whether only the invoking user installed the application, and not the guild.
    pub(crate) user_installed: bool,
    pub(crate) n_follow_ups: usize,
    /// The id of the original response, once there is one.
    pub(crate) original: Option<String>,
    /// The stored message with the component that was used, also if that component opened the modal submitted here.
    pub(crate) source_message: Option<String>,
}

impl State {
    pub(crate) fn new(options: Options, address: SocketAddr) -> std::io::Result<State> {
        let ids = Snowflakes::default();
        let mut world = World::default();
        world.channels.insert(CHANNEL_ID.to_string(), false);
        world.channels.insert(DM_CHANNEL_ID.to_string(), true);
        for command in &options.commands {
            let mut stored = crate::rest::stored_command(command, None);
            for key in ["id", "version"] {
                if stored[key].is_null() {
                    stored[key] = json!(ids.next().to_string());
                }
            }
            world.commands.push(stored);
        }
        let mut journal = Journal::default();
        if let Some(path) = &options.log_file {
            journal.log_to(path)?;
        }
        Ok(State {
            options,
            address,
            started: Instant::now(),
            ids,
            changed: Notify::new(),
            world: Mutex::new(world),
            journal: Mutex::new(journal),
            faults: Mutex::default(),
            limiter: Mutex::default(),
            hub: Mutex::default(),
            meter: Mutex::default(),
            viewer: Mutex::default(),
        })
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    pub(crate) fn journal(&self) -> MutexGuard<'_, Journal> {
        lock(&self.journal)
    }

    pub(crate) fn faults(&self) -> MutexGuard<'_, Faults> {
        lock(&self.faults)
    }

    pub(crate) fn limiter(&self) -> MutexGuard<'_, Limiter> {
        lock(&self.limiter)
    }

    pub(crate) fn hub(&self) -> MutexGuard<'_, Hub> {
        lock(&self.hub)
    }

    /// What measures, while there is a load.
    pub(crate) fn meter(&self) -> MutexGuard<'_, Option<Meter>> {
        lock(&self.meter)
    }

    /// Who looks at the page.
    pub(crate) fn viewer(&self) -> MutexGuard<'_, Viewer> {
        lock(&self.viewer)
    }

    /// How many session starts are left today.
    pub(crate) fn session_starts_left(&self) -> u64 {
        self.options.session_starts.saturating_sub(self.hub().n_started)
    }

    /// A new id, as a string.
    pub(crate) fn new_id(&self) -> String {
        self.ids.next().to_string()
    }

    /// The websocket address of the gateway.
    pub(crate) fn gateway_url(&self) -> String {
        format!("ws://{}/gateway", self.address)
    }
}

/// Ignores poisoning: a panic in a test must not be followed by a second, misleading one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
