//! Commands that modules have called at a later time.

mod alerts;
mod feed;
mod poll;
mod remind;
