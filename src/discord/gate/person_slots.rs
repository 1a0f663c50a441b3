//! The limit of interaction slots per person: a person at the limit waits, and others do not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use candor_core::inbound::UserId;

pub(super) const OF_PERSON_MAX: usize = 16;

/// The slots in use by person. A person without a slot or a wait has no entry.
#[derive(Debug, Default)]
pub(super) struct PersonSlots(Mutex<HashMap<UserId, Arc<Semaphore>>>);

#[derive(Debug)]
pub(crate) struct PersonSlot<'a> {
    of: &'a PersonSlots,
    person: UserId,
    slot: Option<OwnedSemaphorePermit>,
}

impl PersonSlots {
    pub(super) async fn take(&self, person: UserId) -> PersonSlot<'_> {
        let own = self.lock().entry(person).or_insert_with(|| Arc::new(Semaphore::new(OF_PERSON_MAX))).clone();
        // Create the guard before waiting, so that an abandoned wait also removes its entry.
        let mut share = PersonSlot { of: self, person, slot: None };
        // The semaphore is never closed.
        share.slot = own.acquire_owned().await.ok();
        share
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserId, Arc<Semaphore>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PersonSlot<'_> {
    fn drop(&mut self) {
        self.slot = None;
        let mut people = self.of.lock();
        if people.get(&self.person).is_some_and(|own| Arc::strong_count(own) == 1) {
            people.remove(&self.person);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::future::join_all;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_person_who_floods_waits_and_others_do_not() {
        let shares = PersonSlots::default();
        let soon = Duration::from_millis(1);
        let mut held = join_all((0..OF_PERSON_MAX).map(|_| shares.take(UserId(1)))).await;
        assert!(timeout(soon, shares.take(UserId(1))).await.is_err());
        assert!(timeout(soon, shares.take(UserId(2))).await.is_ok());
        held.pop();
        assert!(timeout(soon, shares.take(UserId(1))).await.is_ok());
        drop(held);
        assert_eq!(shares.lock().len(), 0);
    }
}
