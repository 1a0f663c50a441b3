//! Messages on their way to a queue, for example while a thread is opened for them. No turn knows them yet. Their edits
//! and deletions are noted here, and applied when they take their place.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_core::inbound::{CameWith, EventId};
use candor_core::router::ChatText;

/// How many deletions of other messages are remembered. A deletion is handled in a separate task, which may be faster
/// than the message's.
const GONE_MAX: usize = 64;

/// A change of a message on its way.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// The message was edited: its new words and attachments.
    Edited(ChatText, CameWith),
    /// It is deleted, or no longer meant for the model.
    Deleted,
}

#[derive(Default)]
pub(super) struct Arrivals(Mutex<Noted>);

#[derive(Default)]
struct Noted {
    /// Each belongs to a task that handles it, which bounds their number.
    on_their_way: HashMap<EventId, Option<Change>>,
    /// The last deleted messages that were not on their way.
    gone: VecDeque<EventId>,
}

/// A message on its way, until it takes its place or this is dropped.
pub struct Arriving {
    arrivals: Arc<Arrivals>,
    event: EventId,
    /// Whether this is the first delivery of the message. Only the first removes the entry.
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

    pub(super) fn holds(&self, event: EventId) -> bool {
        self.lock().on_their_way.contains_key(&event)
    }

    /// Notes the change of a message that is on its way. A deletion is final. Deletions of other messages are
    /// remembered for a while.
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

    /// Ends the way of a message. Returns its change until now.
    pub(super) fn end(&self, event: EventId) -> Option<Change> {
        self.lock().on_their_way.remove(&event).flatten()
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Arriving {
    pub(super) fn begin(arrivals: &Arc<Arrivals>, event: EventId) -> Self {
        Self { arrivals: arrivals.clone(), event, is_first: arrivals.begin(event) }
    }

    /// Whether the message is deleted, or no longer meant for the model.
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
