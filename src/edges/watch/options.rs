//! How a file is watched, and how its thread is woken.

use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

/// How a file is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchOptions {
    /// How often the file is read although nothing was reported.
    pub tick: Duration,
    /// Whether to listen for reports at all.
    pub hints: Hints,
}

/// Where hints of a change come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hints {
    /// The kernel's reports, and the tick.
    Kernel,
    /// The tick alone, for file systems where reports are known to be useless.
    TickOnly,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self { tick: Duration::from_secs(2), hints: Hints::Kernel }
    }
}

/// Wakes the thread. Never waits: where a hint is waiting already another has nothing to add, and where
/// nobody listens any more there is nobody to wake.
pub(crate) fn nudge(wake: &SyncSender<()>) {
    match wake.try_send(()) {
        Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
    }
}
