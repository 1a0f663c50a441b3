//! Admission of events: concurrency limits, rejection notices, and new members who have not accepted a guild's rules.

mod admission;
mod age;
mod notices;
mod pending;
mod slot_pool;

pub(crate) use admission::{ANSWER_WITHIN, AT_ONCE_MAX, Gate, Slot};
pub(crate) use notices::{EVERY, Notice};
pub(crate) use pending::Pending;
