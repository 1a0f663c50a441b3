//! A run under way, and the intent that is stored for it before a change that no commit can undo.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use tokio::sync::{Mutex, SetOnce};
use tracing::warn;

use crate::host::crash_point::CrashPoint;
use crate::host::executor::ledger::{Beginning, Intended, Intent, Ledger, Wait};
use candor_core::contract::ServiceError;

pub(in crate::host::executor) struct Flight {
    ledger: Arc<dyn Ledger>,
    /// `None` if the run ended before it began.
    intent: SetOnce<Option<Intent>>,
    /// The commit has begun: nothing more is stored before it has ended.
    is_ending: AtomicBool,
    /// The sealed token of an answer that is being deferred, until it is stored.
    late: StdMutex<Option<Vec<u8>>>,
    state: Mutex<FlightState>,
}

#[derive(Default)]
struct FlightState {
    written: Option<Intent>,
    refused: Option<NotBegun>,
}

/// Reasons why the run of an event may not begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::host::executor) enum NotBegun {
    ClaimedBefore,
    Wait(Wait),
}

impl Flight {
    pub(in crate::host::executor) fn new(ledger: Arc<dyn Ledger>) -> Self {
        Self {
            ledger,
            intent: SetOnce::new(),
            is_ending: AtomicBool::new(false),
            late: StdMutex::default(),
            state: Mutex::default(),
        }
    }

    /// Marks the run as ended before it began, if it has not begun. Releases tasks that wait to store something for it.
    pub(in crate::host::executor) fn never_begins(&self) {
        let _first = self.intent.set(None);
    }

    /// Sets the intent to store when it is needed.
    pub(in crate::host::executor) fn intends(&self, intent: Intent) {
        let _first = self.intent.set(Some(intent));
    }

    pub(in crate::host::executor) async fn begin(self: &Arc<Self>) -> Result<(), ServiceError> {
        self.write(|_| {}).await
    }

    /// Stores that the run may change something outside of the store. If this fails, the run must not change anything
    /// there.
    pub(in crate::host::executor) async fn begin_outside(self: &Arc<Self>) -> Result<(), ServiceError> {
        self.write(|intent| intent.is_outside = true).await?;
        CrashPoint::Announced.reached();
        Ok(())
    }

    /// Stores the sealed token for a deferred answer. While the run is being committed, this does not return. The token
    /// is then stored after the commit, by [`Flight::late`] or [`Flight::begins_again`].
    pub(in crate::host::executor) async fn defer(self: &Arc<Self>, reply_to: Vec<u8>) -> Result<(), ServiceError> {
        *self.late.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply_to.clone());
        let written = self.write(move |intent| intent.reply_to = Some(reply_to)).await;
        if self.is_ending.load(Ordering::Acquire) && written.is_err() {
            std::future::pending::<()>().await;
        }
        drop(self.late());
        written
    }

    /// Whether a token for a deferred answer is about to be stored.
    pub(in crate::host::executor) fn is_deferring(&self) -> bool {
        self.late.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Takes the token that could not be stored during the commit.
    fn late(&self) -> Option<Vec<u8>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Stores the answer of a committed run that was deferred meanwhile, until it is shown.
    pub(in crate::host::executor) async fn leave_open(&self, answer: impl FnOnce() -> String) {
        let (Some(intent), Some(reply_to)) = (self.intent.get().and_then(Option::as_ref), self.late()) else { return };
        let intent = Intent { reply_to: Some(reply_to), ..intent.clone() };
        let event = intent.begun.event;
        if let Err(problem) = self.ledger.leave_open(intent, answer()).await {
            warn!(event.id = %event.0, error = %problem, "a deferred answer could not be recorded");
        }
    }

    /// Stores the changed intent. The task continues even if its caller is dropped: otherwise the store could hold an
    /// intent that `written` does not show.
    async fn write(self: &Arc<Self>, change: impl FnOnce(&mut Intent) + Send + 'static) -> Result<(), ServiceError> {
        let flight = self.clone();
        let written = tokio::spawn(async move { flight.write_to_end(change).await }).await;
        written.unwrap_or_else(|broken| Err(ServiceError::Store(broken.to_string())))
    }

    async fn write_to_end(&self, change: impl FnOnce(&mut Intent)) -> Result<(), ServiceError> {
        let not_begun = || ServiceError::Store("the run did not begin".to_owned());
        let intent = self.intent.wait().await.as_ref().ok_or_else(not_begun)?;
        let mut state = self.state.lock().await;
        if self.is_ending.load(Ordering::Acquire) {
            return Err(ServiceError::Store("the run has ended".to_owned()));
        }
        let mut intent = state.written.as_ref().unwrap_or(intent).clone();
        change(&mut intent);
        if state.written.as_ref() == Some(&intent) {
            return Ok(());
        }
        let refused = match self.ledger.begin(intent.clone()).await? {
            Beginning::Begun => {
                state.written = Some(intent);
                return Ok(());
            }
            Beginning::ClaimedBefore => NotBegun::ClaimedBefore,
            Beginning::Wait(wait) => NotBegun::Wait(wait),
        };
        state.refused = Some(refused);
        Err(ServiceError::Store("the run may not begin".to_owned()))
    }

    /// Begins the run again: nothing of it is stored. Stores a token that was held back meanwhile.
    pub(in crate::host::executor) async fn begins_again(self: &Arc<Self>) {
        self.is_ending.store(false, Ordering::Release);
        let Some(reply_to) = self.late() else { return };
        if let Err(problem) = self.write(move |intent| intent.reply_to = Some(reply_to)).await {
            warn!(error = %problem, "a deferred answer could not be recorded");
        }
    }

    /// Ends the run, so that nothing more is stored for it. Returns the stored state, or the reason why it may not run.
    pub(in crate::host::executor) async fn end(&self) -> Result<Ended, NotBegun> {
        self.is_ending.store(true, Ordering::Release);
        let state = self.state.lock().await;
        match (&state.refused, &state.written) {
            (Some(refused), _) => Err(refused.clone()),
            (None, Some(written)) => {
                Ok(Ended { is_begun: true, is_outside: written.is_outside, is_deferred: written.reply_to.is_some() })
            }
            (None, None) => Ok(Ended::default()),
        }
    }
}

/// The stored state of a run when it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::host::executor) struct Ended {
    pub(in crate::host::executor) is_begun: bool,
    /// Whether it may have changed something outside of the store.
    pub(in crate::host::executor) is_outside: bool,
    pub(in crate::host::executor) is_deferred: bool,
}

impl Ended {
    /// Returns the state of the intent for a commit with this answer.
    pub(in crate::host::executor) fn intended(self, answer: impl FnOnce() -> String) -> Intended {
        match self {
            Self { is_deferred: true, .. } => Intended::Deferred(answer()),
            Self { is_begun: true, .. } => Intended::Yes,
            Self { is_begun: false, .. } => Intended::No,
        }
    }
}
