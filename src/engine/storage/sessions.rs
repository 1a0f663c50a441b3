//! Gateway sessions, saved so that the next process resumes them and does not log in.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;

/// Older sessions are not tried. Discord keeps a session for some minutes.
pub const SESSION_AGE_MAX: Duration = Duration::from_mins(10);

/// The session of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedSession {
    pub shard: u32,
    pub id: String,
    /// The address at which Discord wants it to be resumed.
    pub url: Option<String>,
    /// The last event that needs no replay.
    pub sequence: u64,
    /// The bot's own user. READY names it; RESUMED does not.
    pub bot: UserId,
}

/// The sessions of all shards, as one process saves them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedSessions {
    pub shards: Vec<SavedSession>,
    /// The usual time between an event's creation by Discord's clock and its arrival, so that the age of replayed
    /// events is known.
    pub lag_ms: Option<i64>,
}

/// Stores the sessions of the shards. An identity names the application, its intents and the number of shards: a
/// session of another identity cannot be resumed.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Takes the sessions that were saved at most [`SESSION_AGE_MAX`] ago by processes that have ended.
    async fn take_sessions(&self, identity: &str, now: SystemTime) -> Result<SavedSessions, ServiceError>;
    /// Saves the sessions of this process. `is_leaving` hands them to the next process.
    async fn save_sessions(
        &self,
        identity: &str,
        sessions: SavedSessions,
        now: SystemTime,
        is_leaving: bool,
    ) -> Result<(), ServiceError>;
}
