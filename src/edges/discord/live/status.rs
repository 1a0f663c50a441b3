//! The live answers: the messages that are kept up to date, and the task that does it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot::Receiver;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::edges::discord::live::sessions::{LiveSessions, StopReason};
use crate::host::LiveMessages;
use crate::host::dispatch::Dispatcher;
use candor_core::inbound::{ChannelId, Place};
use candor_core::settings::LiveSettings;

/// How long an interaction's token is used. It is valid for 15 minutes; the last edit, which says that it is over,
/// needs some of them.
pub(super) const TOKEN_HOLDS: Duration = Duration::from_secs(14 * 60 + 30);

/// All live answers of this process.
pub(crate) struct LiveStatus {
    pub(super) dispatcher: Arc<Dispatcher>,
    pub(super) settings: LiveSettings,
    pub(super) kept: Arc<dyn LiveMessages>,
    pub(super) open: LiveSessions,
    pub(super) shutdown: CancellationToken,
    pub(super) running: TaskTracker,
}

impl LiveStatus {
    /// Cancelled by this token and awaited through this tracker.
    pub(crate) fn new(
        dispatcher: Arc<Dispatcher>,
        settings: LiveSettings,
        kept: Arc<dyn LiveMessages>,
        shutdown: CancellationToken,
        running: TaskTracker,
    ) -> Self {
        Self { dispatcher, settings, kept, open: LiveSessions::default(), shutdown, running }
    }

    /// The channel, if the settings list it for live messages.
    pub(super) fn channel(&self, place: Place) -> Option<ChannelId> {
        match place {
            Place::Guild { channel, .. } | Place::Direct { channel } => {
                Some(channel).filter(|channel| self.settings.channels.contains(channel))
            }
            Place::Console => None,
        }
    }
}

/// A message that is being followed.
pub(super) struct Following {
    /// Its number among the open ones.
    pub(super) number: u64,
    /// Receives the reason to end it.
    pub(super) ended: Receiver<StopReason>,
    /// When its token expires, if it has one.
    pub(super) until: Option<Instant>,
    /// How long until the first refresh.
    pub(super) first: Duration,
    /// It is stored: whoever ends it removes it there.
    pub(super) is_kept: bool,
}
