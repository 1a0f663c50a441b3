//! Late receipts: stored while the answer is being sent.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinHandle;

/// Whether the receipt of a run that changes nothing may be stored while its answer is being sent. By default it may
/// not.
#[derive(Clone, Default)]
pub struct Keeping(Option<Arc<Mutex<Option<JoinHandle<bool>>>>>);

impl Keeping {
    /// It may: whoever gives the answer asks [`Keeping::is_kept`] afterwards.
    pub fn later() -> Self {
        Self(Some(Arc::default()))
    }

    /// Whether the receipt may be stored after the answer.
    pub(super) fn store_later(&self) -> bool {
        self.0.is_some()
    }

    /// The receipt is being stored.
    pub(super) fn storing(&self, storing: JoinHandle<bool>) {
        if let Some(cell) = &self.0 {
            *cell.lock().unwrap_or_else(PoisonError::into_inner) = Some(storing);
        }
    }

    /// Whether a receipt is being stored while its answer is on its way.
    pub fn is_storing(&self) -> bool {
        self.0.as_ref().is_some_and(|cell| cell.lock().unwrap_or_else(PoisonError::into_inner).is_some())
    }

    /// Waits until the receipt is stored. False if it could not be: then the answer that was given is wrong about it.
    pub async fn is_kept(self) -> bool {
        let storing = self.0.and_then(|cell| cell.lock().unwrap_or_else(PoisonError::into_inner).take());
        match storing {
            Some(storing) => storing.await.unwrap_or(false),
            None => true,
        }
    }
}
