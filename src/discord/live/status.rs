//! The live answers of this process, and the task that keeps them up to date.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot::Receiver;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::live::sessions::{LiveSessions, StopReason};
use candor_core::inbound::{ChannelId, Place};
use candor_core::settings::LiveSettings;
use candor_engine::LiveMessages;
use candor_engine::dispatch::Dispatcher;

/// How long an interaction's token is used. It is valid for 15 minutes; the rest is for the last edit, which shows the
/// end.
pub(super) const TOKEN_HOLDS: Duration = Duration::from_secs(14 * 60 + 30);

pub(crate) struct LiveStatus {
    pub(super) dispatcher: Arc<Dispatcher>,
    pub(super) settings: LiveSettings,
    pub(super) kept: Arc<dyn LiveMessages>,
    pub(super) open: LiveSessions,
    pub(super) shutdown: CancellationToken,
    pub(super) running: TaskTracker,
}

impl LiveStatus {
    /// Its tasks end when `shutdown` is cancelled, and are awaited through `running`.
    pub(crate) fn new(
        dispatcher: Arc<Dispatcher>,
        settings: LiveSettings,
        kept: Arc<dyn LiveMessages>,
        shutdown: CancellationToken,
        running: TaskTracker,
    ) -> Self {
        Self { dispatcher, settings, kept, open: LiveSessions::default(), shutdown, running }
    }

    /// Returns the channel, if the settings list it for live messages.
    pub(super) fn channel(&self, place: Place) -> Option<ChannelId> {
        match place {
            Place::Guild { channel, .. } | Place::Direct { channel } => {
                Some(channel).filter(|channel| self.settings.channels.contains(channel))
            }
            Place::Console => None,
        }
    }
}

pub(super) struct Following {
    /// Its number among the open ones.
    pub(super) number: u64,
    pub(super) ended: Receiver<StopReason>,
    /// When its token expires, if it has one.
    pub(super) until: Option<Instant>,
    pub(super) first: Duration,
    /// Whether it is stored: ending it removes it from the store.
    pub(super) is_kept: bool,
}
