//! Sessions over restarts: saved when they begin, every 30 s and at shutdown, and resumed by the next process.
//!
//! A session is saved with the last sequence number below which every event is finished, so that Discord replays the
//! others. Claims make a replayed command or chat turn run once.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;
use tokio::time::timeout;
use tracing::{debug, warn};

use crate::shared::Shared;
use candor_engine::{SavedSession, SavedSessions, SessionStore};

const SAVE_EVERY: Duration = Duration::from_secs(30);

/// A session that may be resumed.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    /// Where to resume it.
    pub(super) url: Option<String>,
    progress: Mutex<Progress>,
}

#[derive(Debug)]
struct Progress {
    /// The number of the last event.
    sequence: u64,
    /// The events in progress.
    open: BTreeSet<u64>,
}

impl Session {
    pub(super) fn new(id: String, url: Option<String>, sequence: u64) -> Arc<Self> {
        Arc::new(Self { id, url, progress: Mutex::new(Progress { sequence, open: BTreeSet::new() }) })
    }

    /// The number of the last event.
    pub(super) fn sequence(&self) -> u64 {
        self.progress().sequence
    }

    /// The number of the last event that needs no replay: every event up to it is finished.
    fn finished(&self) -> u64 {
        let progress = self.progress();
        progress.open.first().map_or(progress.sequence, |first| first.saturating_sub(1))
    }

    /// Notes an event. It is in progress until the value is dropped.
    pub(super) fn arrived(self: &Arc<Self>, sequence: u64) -> InProgress {
        let mut progress = self.progress();
        progress.sequence = sequence;
        progress.open.insert(sequence);
        InProgress { session: self.clone(), sequence, is_left_open: false }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event in progress. It is finished when this is dropped.
pub(super) struct InProgress {
    session: Arc<Session>,
    sequence: u64,
    is_left_open: bool,
}

impl InProgress {
    /// Leaves the event to the next process, to which Discord replays it.
    pub(super) fn leave_open(mut self) {
        self.is_left_open = true;
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        if !self.is_left_open {
            self.session.progress().open.remove(&self.sequence);
        }
    }
}

/// The sessions of all shards.
pub(super) struct Sessions {
    store: Arc<dyn SessionStore>,
    /// Application, intents and number of shards. A session of another identity would bring other events.
    identity: String,
    shards: Vec<Mutex<Option<Arc<Session>>>>,
    changed: Notify,
}

impl Sessions {
    /// Takes the sessions of processes that have ended.
    pub(super) async fn take(
        store: Arc<dyn SessionStore>,
        identity: String,
        n_shards: u32,
        now: SystemTime,
    ) -> (Self, SavedSessions) {
        let taken = store.take_sessions(&identity, now).await.unwrap_or_else(|problem| {
            warn!(error = %problem, "the saved sessions could not be read; logging in again");
            SavedSessions::default()
        });
        let shards = (0..n_shards).map(|_| Mutex::default()).collect();
        let sessions = Self { store, identity, shards, changed: Notify::new() };
        for SavedSession { shard, id, url, sequence, .. } in taken.shards.iter().cloned() {
            sessions.set(shard, Some(Session::new(id, url, sequence)));
        }
        (sessions, taken)
    }

    /// Returns whether no shard needs to log in.
    pub(super) fn are_whole(&self) -> bool {
        (0..self.n_shards()).all(|shard| self.of(shard).is_some())
    }

    /// The session of a shard, to resume it.
    pub(super) fn of(&self, shard: u32) -> Option<Arc<Session>> {
        self.shard(shard)?.clone()
    }

    /// Replaces the session of a shard.
    pub(super) fn set(&self, shard: u32, session: Option<Arc<Session>>) {
        if let Some(mut known) = self.shard(shard) {
            *known = session;
            self.changed.notify_one();
        }
    }

    /// Saves the sessions at each change and every 30 s, without end. A process that is killed soon after its start
    /// leaves its sessions too, so its interactions reach the next one.
    pub(super) async fn keep(&self, shared: &Shared) {
        shared.bot.wait().await;
        loop {
            self.save(shared, false).await;
            let _changed = timeout(SAVE_EVERY, self.changed.notified()).await;
        }
    }

    /// Saves the sessions. `is_leaving` hands them to the next process.
    pub(super) async fn save(&self, shared: &Shared, is_leaving: bool) {
        let Some(&bot) = shared.bot.get() else { return };
        let saved = (0..self.n_shards()).filter_map(|shard| {
            let session = self.of(shard)?;
            let id = session.id.clone();
            let url = session.url.clone();
            let sequence = session.finished();
            Some(SavedSession { shard, id, url, sequence, bot })
        });
        let saved = SavedSessions { shards: saved.collect(), lag_ms: shared.gate.usual_lag() };
        debug!(sessions = saved.shards.len(), is_leaving, "saving the sessions");
        if let Err(problem) = self.store.save_sessions(&self.identity, saved, shared.dispatcher.now(), is_leaving).await
        {
            warn!(error = %problem, "the sessions could not be saved; after a restart the bot logs in again");
        }
    }

    fn n_shards(&self) -> u32 {
        u32::try_from(self.shards.len()).unwrap_or(u32::MAX)
    }

    fn shard(&self, shard: u32) -> Option<MutexGuard<'_, Option<Arc<Session>>>> {
        let shard = self.shards.get(usize::try_from(shard).ok()?)?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_saved_before_its_first_unfinished_event() {
        let session = Session::new("id".to_owned(), None, 7);
        let first = session.arrived(8);
        let second = session.arrived(9);
        assert_eq!((session.sequence(), session.finished()), (9, 7));
        drop(second);
        assert_eq!(session.finished(), 7);
        drop(first);
        assert_eq!(session.finished(), 9);
    }
}
