//! One run that is under way, and the intent that is stored for it once something could not be taken back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use tokio::sync::{Mutex, SetOnce};
use tracing::warn;

use crate::host::crash_point::CrashPoint;
use crate::host::executor::ledger::{Beginning, Intended, Intent, Ledger, Wait};
use candor_core::contract::ServiceError;

/// One run that is under way.
pub(in crate::host::executor) struct Flight {
    ledger: Arc<dyn Ledger>,
    /// None if the run ended before it began.
    intent: SetOnce<Option<Intent>>,
    /// Its commit has begun: nothing more is written down before it has ended.
    is_ending: AtomicBool,
    /// By which the person can be told how the run ended, if that was to be written down while it was committed.
    late: StdMutex<Option<Vec<u8>>>,
    state: Mutex<FlightState>,
}

#[derive(Default)]
struct FlightState {
    /// The intent as it is in the store.
    written: Option<Intent>,
    refused: Option<NotBegun>,
}

/// Why the run of an event may not begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::host::executor) enum NotBegun {
    /// Another process answers it.
    ClaimedBefore,
    /// A cooldown is not free.
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

    /// The run ended before it began, if it has not begun. Whoever waits to write something down of it goes on.
    pub(in crate::host::executor) fn never_begins(&self) {
        let _first = self.intent.set(None);
    }

    /// What is written down of the run when that is needed.
    pub(in crate::host::executor) fn intends(&self, intent: Intent) {
        let _first = self.intent.set(Some(intent));
    }

    /// Writes down that the run begins.
    pub(in crate::host::executor) async fn begin(self: &Arc<Self>) -> Result<(), ServiceError> {
        self.write(|_| {}).await
    }

    /// Writes down that the run may change something outside of the store. It does not if this fails.
    pub(in crate::host::executor) async fn begin_outside(self: &Arc<Self>) -> Result<(), ServiceError> {
        self.write(|intent| intent.is_outside = true).await?;
        CrashPoint::Announced.reached();
        Ok(())
    }

    /// Writes down by which the person can be told how the run ended. While the run is being committed it does not
    /// return, and it is written down after the commit, by [`Flight::late`] or [`Flight::begins_again`].
    pub(in crate::host::executor) async fn defer(self: &Arc<Self>, reply_to: Vec<u8>) -> Result<(), ServiceError> {
        *self.late.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply_to.clone());
        let written = self.write(move |intent| intent.reply_to = Some(reply_to)).await;
        if self.is_ending.load(Ordering::Acquire) && written.is_err() {
            std::future::pending::<()>().await;
        }
        drop(self.late());
        written
    }

    /// Whether it is about to be written down how the person can be told how the run ended.
    pub(in crate::host::executor) fn is_deferring(&self) -> bool {
        self.late.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// What was to be written down while the run was committed. It is asked for once.
    fn late(&self) -> Option<Vec<u8>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Writes down the answer of a run that is committed, if it was deferred meanwhile: until it is shown.
    pub(in crate::host::executor) async fn leave_open(&self, answer: impl FnOnce() -> String) {
        let (Some(intent), Some(reply_to)) = (self.intent.get().and_then(Option::as_ref), self.late()) else { return };
        let intent = Intent { reply_to: Some(reply_to), ..intent.clone() };
        let event = intent.begun.event;
        if let Err(problem) = self.ledger.leave_open(intent, answer()).await {
            warn!(event.id = %event.0, error = %problem, "a deferred answer could not be recorded");
        }
    }

    /// Writes down what is known now. It goes on if nobody waits for it any longer: otherwise the store might have what
    /// this does not know of.
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

    /// The run begins once more: nothing of it is stored. What was to be written down meanwhile is.
    pub(in crate::host::executor) async fn begins_again(self: &Arc<Self>) {
        self.is_ending.store(false, Ordering::Release);
        let Some(reply_to) = self.late() else { return };
        if let Err(problem) = self.write(move |intent| intent.reply_to = Some(reply_to)).await {
            warn!(error = %problem, "a deferred answer could not be recorded");
        }
    }

    /// Ends the run: nothing more is written down of it. What was, or why it may not run.
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

/// What was written down of a run when it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::host::executor) struct Ended {
    /// Its intent.
    pub(in crate::host::executor) is_begun: bool,
    /// That it may have changed something outside of the store.
    pub(in crate::host::executor) is_outside: bool,
    /// That its answer is deferred.
    pub(in crate::host::executor) is_deferred: bool,
}

impl Ended {
    /// What becomes of the intent when the run is committed with this answer.
    pub(in crate::host::executor) fn intended(self, answer: impl FnOnce() -> String) -> Intended {
        match self {
            Self { is_deferred: true, .. } => Intended::Deferred(answer()),
            Self { is_begun: true, .. } => Intended::Yes,
            Self { is_begun: false, .. } => Intended::No,
        }
    }
}
