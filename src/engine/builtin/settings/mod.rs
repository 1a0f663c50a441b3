//! `/settings`: the settings of a guild, which its administrators change within the operator's rules.

mod changes;
mod page;
mod sheet;
mod suggest;
mod words;

pub(super) use changes::{clear, set, undo};
pub(super) use page::show;
pub(super) use suggest::{names, values};
