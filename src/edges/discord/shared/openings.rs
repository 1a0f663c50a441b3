//! Questions for which a thread is being opened: meanwhile no turn knows of them, and an edit or a deletion is noted here.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serenity::all::Message;

/// What became of a question.
pub(crate) enum Change {
    /// It was edited: this is what it says now.
    Edited(Box<Message>),
    /// It is gone.
    Deleted,
}

/// The questions, by their ids. Each holds a slot of the gate, so there are few.
#[derive(Default)]
pub(crate) struct Openings(Mutex<HashMap<u64, Option<Change>>>);

/// A question for which a thread is being opened, until this is dropped.
pub(crate) struct Opening<'a> {
    of: &'a Openings,
    question: u64,
}

impl Openings {
    /// A thread for this question is being opened.
    pub(crate) fn begin(&self, question: u64) -> Opening<'_> {
        self.lock().insert(question, None);
        Opening { of: self, question }
    }

    /// Whether a thread is being opened for this message.
    pub(crate) fn holds(&self, message: u64) -> bool {
        self.lock().contains_key(&message)
    }

    /// A message was edited.
    pub(crate) fn edited(&self, message: &Message) {
        if let Some(change @ (None | Some(Change::Edited(_)))) = self.lock().get_mut(&message.id.get()) {
            *change = Some(Change::Edited(Box::new(message.clone())));
        }
    }

    /// A message was deleted.
    pub(crate) fn deleted(&self, message: u64) {
        if let Some(change) = self.lock().get_mut(&message) {
            *change = Some(Change::Deleted);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Option<Change>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opening<'_> {
    /// What became of the question meanwhile.
    pub(crate) fn ended(self) -> Option<Change> {
        self.of.lock().remove(&self.question).flatten()
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.of.lock().remove(&self.question);
    }
}
