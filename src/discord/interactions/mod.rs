//! Interactions: every kind of interaction gets an answer, in time.
//!
//! A slash command takes this path: `answer` (by kind) -> the dispatcher -> `in_time` (before its deadline) ->
//! `deliver`. Components and modals: `answer` -> `components` (checks the signed custom id) -> the dispatcher ->
//! `deliver`. `modal` asks for missing required options, and `reply_menu` has the bot's own context-menu commands.
//! `inspect` parses an interaction without answering it.

pub(crate) mod answer;
mod components;
pub(crate) mod deliver;
mod in_time;
pub(crate) mod inspect;
mod modal;
pub(crate) mod recovery;
mod reply_menu;
mod serve;
