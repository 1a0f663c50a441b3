//! The state that every event needs, with the questions that wait for a click, and the pace of edits.

pub(crate) mod channels;
pub(crate) mod deletions;
pub(crate) mod files;
pub(crate) mod names;
pub(crate) mod pace;
pub(crate) mod questions;
pub(crate) mod replies;
pub(crate) mod requester;
mod state;
pub(crate) mod things;
mod threads;
pub(crate) mod turns;

pub(crate) use state::Shared;
pub(crate) use threads::{AnsweredIn, content_intent};
