//! Holds a conversation's next turn back until the answer of the last one is shown.

use crate::host::chat::queue::Admitted;
use crate::host::chat::turn_lease::TurnLease;

/// Keeps the next turn of a conversation from beginning, until it is dropped: what it follows is not shown yet.
#[derive(Default)]
pub struct Held {
    admitted: Option<Admitted>,
    /// Keeps it from beginning in other processes.
    lease: Option<TurnLease>,
}

impl Held {
    /// The turn is over, and only to be shown.
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
