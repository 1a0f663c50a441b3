//! Commands that have themselves called again at a later time.

mod poll;
mod remind;
