//! Commands that modules have called at a later time, at times of a schedule, or when something happens.

mod alerts;
pub(super) mod events;
mod feed;
mod poll;
mod remind;
pub(super) mod schedules;
