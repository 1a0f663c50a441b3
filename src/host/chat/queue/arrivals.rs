//! Messages on their way to a queue: what must be looked up before, a thread that is opened for them. No turn knows of
//! them yet, so that an edit or a deletion is noted here, and counts when they take their place.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_core::inbound::{CameWith, EventId};
use candor_core::router::ChatText;

/// What became of a message on its way.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// It was edited: this is what it says now, and what it came with.
    Edited(ChatText, CameWith),
    /// It is gone, or no longer words for the model.
    Deleted,
}

/// The messages on their way. Each belongs to a task that handles it, so there are no more than those.
#[derive(Default)]
pub(in crate::host::chat) struct Arrivals(Mutex<HashMap<EventId, Option<Change>>>);

/// A message on its way, until it takes its place or this is dropped.
pub struct Arriving {
    arrivals: Arc<Arrivals>,
    event: EventId,
    /// A message that is delivered twice is followed for the first of both.
    is_first: bool,
}

impl Arrivals {
    fn begin(&self, event: EventId) -> bool {
        match self.lock().entry(event) {
            Entry::Vacant(free) => {
                free.insert(None);
                true
            }
            Entry::Occupied(_) => false,
        }
    }

    /// Whether this message is on its way.
    pub(super) fn holds(&self, event: EventId) -> bool {
        self.lock().contains_key(&event)
    }

    /// Notes what became of a message, if it is on its way. What is gone stays so.
    pub(super) fn note(&self, event: EventId, new: Change) {
        if let Some(change @ (None | Some(Change::Edited(..)))) = self.lock().get_mut(&event) {
            *change = Some(new);
        }
    }

    /// A message takes its place. What became of it until now.
    pub(super) fn end(&self, event: EventId) -> Option<Change> {
        self.lock().remove(&event).flatten()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<EventId, Option<Change>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Arriving {
    /// This message is on its way.
    pub(in crate::host::chat) fn begin(arrivals: &Arc<Arrivals>, event: EventId) -> Self {
        Self { arrivals: arrivals.clone(), event, is_first: arrivals.begin(event) }
    }

    /// Whether the message is gone, or no longer words for the model.
    pub fn is_gone(&self) -> bool {
        self.arrivals.lock().get(&self.event) == Some(&Some(Change::Deleted))
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        if self.is_first {
            let _end = self.arrivals.end(self.event);
        }
    }
}
