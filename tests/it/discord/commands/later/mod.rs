//! Commands that modules have called at a later time, or when something happens.

mod alerts;
mod events;
mod feed;
mod poll;
mod remind;
