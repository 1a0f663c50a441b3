//! Admission of events: what may start, how refusals are told, and who is not a full member yet.

mod admission;
mod age;
mod notices;
mod pending;
mod person_slots;
mod slot_pool;

pub(crate) use admission::{ANSWER_WITHIN, AT_ONCE_MAX, Gate, Slot};
pub(crate) use notices::{EVERY, Notice};
pub(crate) use pending::Pending;
