//! Commands that modules have called at a later time.

mod feed;
mod poll;
mod remind;
