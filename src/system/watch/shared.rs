//! State shared by the thread of a watched file and its users.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use arc_swap::ArcSwap;

use candor_core::contract::Observation;

pub(crate) struct SharedFile<T> {
    pub(super) observation: ArcSwap<Observation<T>>,
    pub(super) stopping: AtomicBool,
    /// Guards only the moment between reading the observation and waiting for the next one.
    pub(super) publishing: Mutex<()>,
    pub(super) published: Condvar,
}

impl<T> SharedFile<T> {
    pub(super) fn new(path: &Path) -> Self {
        let nothing = Observation { path: path.display().to_string(), good: None, trouble: None };
        Self {
            observation: ArcSwap::from_pointee(nothing),
            stopping: AtomicBool::new(false),
            publishing: Mutex::new(()),
            published: Condvar::new(),
        }
    }

    pub(super) fn publish(&self, observation: Observation<T>) {
        self.observation.store(Arc::new(observation));
        // A reader that looked before the store is waiting once the lock is free; a later reader sees the new value.
        drop(self.publishing.lock().unwrap_or_else(PoisonError::into_inner));
        self.published.notify_all();
    }
}
