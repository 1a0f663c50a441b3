//! Gateway sessions, saved so that the next process resumes them and does not log in.

use std::time::SystemTime;

use async_trait::async_trait;

use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;

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

/// Stores the sessions of the shards. An identity names the application, its intents and the number of shards: a
/// session of another identity cannot be resumed.
#[async_trait]
pub trait SavedSessions: Send + Sync {
    /// Takes the sessions that were saved since then by processes that have ended.
    async fn take_sessions(&self, identity: &str, since: SystemTime) -> Result<Vec<SavedSession>, ServiceError>;
    /// Saves sessions. `is_leaving` hands them to the next process; until then they belong to this one.
    async fn save_sessions(
        &self,
        identity: &str,
        sessions: Vec<SavedSession>,
        at: SystemTime,
        is_leaving: bool,
    ) -> Result<(), ServiceError>;
}
