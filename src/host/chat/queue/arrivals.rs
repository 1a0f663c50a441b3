//! Messages on their way to a queue: what must be looked up before, a thread that is opened for them. No turn knows of
//! them yet, so that an edit or a deletion is noted here, and counts when they take their place.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_core::inbound::{CameWith, EventId};
use candor_core::router::ChatText;

/// How many deletions are remembered of messages that are not on their way: each is handled by a task of its own, which may
/// be quicker than that of the message.
const GONE_MAX: usize = 64;

/// What became of a message on its way.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// It was edited: this is what it says now, and what it came with.
    Edited(ChatText, CameWith),
    /// It is gone, or no longer words for the model.
    Deleted,
}

/// The messages on their way.
#[derive(Default)]
pub(in crate::host::chat) struct Arrivals(Mutex<Noted>);

#[derive(Default)]
struct Noted {
    /// Each belongs to a task that handles it, so there are no more than those.
    on_their_way: HashMap<EventId, Option<Change>>,
    /// Of others, those that were deleted last.
    gone: VecDeque<EventId>,
}

/// A message on its way, until it takes its place or this is dropped.
pub struct Arriving {
    arrivals: Arc<Arrivals>,
    event: EventId,
    /// A message that is delivered twice is followed for the first of both.
    is_first: bool,
}

impl Arrivals {
    fn begin(&self, event: EventId) -> bool {
        let mut noted = self.lock();
        let change = noted.gone.contains(&event).then_some(Change::Deleted);
        match noted.on_their_way.entry(event) {
            Entry::Vacant(free) => {
                free.insert(change);
                true
            }
            Entry::Occupied(_) => false,
        }
    }

    /// Whether this message is on its way.
    pub(super) fn holds(&self, event: EventId) -> bool {
        self.lock().on_their_way.contains_key(&event)
    }

    /// Notes what became of a message, if it is on its way. What is gone stays so.
    pub(super) fn note(&self, event: EventId, new: Change) {
        let mut noted = self.lock();
        match noted.on_their_way.get_mut(&event) {
            Some(Some(Change::Deleted)) => {}
            Some(change) => *change = Some(new),
            None if new == Change::Deleted => {
                noted.gone.push_back(event);
                if GONE_MAX < noted.gone.len() {
                    noted.gone.pop_front();
                }
            }
            None => {}
        }
    }

    /// A message takes its place. What became of it until now.
    pub(super) fn end(&self, event: EventId) -> Option<Change> {
        self.lock().on_their_way.remove(&event).flatten()
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
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
        self.arrivals.lock().on_their_way.get(&self.event) == Some(&Some(Change::Deleted))
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        if self.is_first {
            let _end = self.arrivals.end(self.event);
        }
    }
}
