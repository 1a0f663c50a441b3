//! Options of watching a file, and the means to wake its thread.

use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchOptions {
    /// How often the file is read without a hint.
    pub tick: Duration,
    pub hints: Hints,
}

/// The source of hints about a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hints {
    /// Kernel events, and the tick.
    Kernel,
    /// The tick alone, for file systems where kernel events are known to be useless.
    TickOnly,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self { tick: Duration::from_secs(2), hints: Hints::Kernel }
    }
}

/// Wakes the thread. Never waits: a second hint adds nothing, and without a listener there is nothing to wake.
pub(crate) fn nudge(wake: &SyncSender<()>) {
    match wake.try_send(()) {
        Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
    }
}
