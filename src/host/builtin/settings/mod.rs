//! `/settings`: what the administrators of a server set there, within what the operator allows.

mod changes;
mod kept;
mod page;
mod suggest;
mod words;

pub(super) use changes::{clear, set, undo};
pub(super) use page::show;
pub(super) use suggest::{names, values};
