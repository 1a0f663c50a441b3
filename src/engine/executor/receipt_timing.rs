//! Late receipts: stored while the answer is being sent.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

/// Whether the receipt of a run that changes nothing may be stored while its answer is being sent. The default is no.
#[derive(Clone, Default)]
pub struct Keeping(Option<Arc<Mutex<Option<oneshot::Receiver<bool>>>>>);

impl Keeping {
    /// Allows it. The caller must ask [`Keeping::is_kept`] after giving the answer.
    pub fn later() -> Self {
        Self(Some(Arc::default()))
    }

    pub(super) fn store_later(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn storing(&self, storing: oneshot::Receiver<bool>) {
        if let Some(cell) = &self.0 {
            *cell.lock().unwrap_or_else(PoisonError::into_inner) = Some(storing);
        }
    }

    pub fn is_storing(&self) -> bool {
        self.0.as_ref().is_some_and(|cell| cell.lock().unwrap_or_else(PoisonError::into_inner).is_some())
    }

    /// Waits until the receipt is stored. Returns false if it could not be stored: then the given answer is wrong about
    /// it.
    pub async fn is_kept(self) -> bool {
        let storing = self.0.and_then(|cell| cell.lock().unwrap_or_else(PoisonError::into_inner).take());
        match storing {
            Some(storing) => storing.await.unwrap_or(false),
            None => true,
        }
    }
}
