//! Delays a conversation's next turn until the last answer is shown.

use crate::host::chat::queue::Admitted;
use crate::host::chat::turn_lease::TurnLease;

/// A guard that keeps the next turn of a conversation from beginning until it is dropped, because the last answer is
/// not shown yet.
#[derive(Default)]
pub struct Held {
    admitted: Option<Admitted>,
    /// Keeps the next turn from beginning in other processes.
    lease: Option<TurnLease>,
}

impl Held {
    /// Marks the turn as over: only its answer remains to be shown.
    pub(super) fn over(admitted: Admitted, lease: Option<TurnLease>) -> Self {
        admitted.running.over();
        Self { admitted: Some(admitted), lease }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            lease.give_back(self.admitted.take());
        }
    }
}
