//! Interactions: every kind of interaction gets an answer, in time.
//!
//! A slash command takes this path: `answer` (what kind is it?) -> the dispatcher -> `in_time` (before its deadline) ->
//! `deliver`. Components and modals: `answer` -> `components`
//! (who may use it? the signed custom id knows) -> the dispatcher -> `deliver`. `modal` asks for required options that
//! were left out, and `reply_menu` has the bot's own context-menu commands. `inspect` reads an interaction and answers
//! nobody.

pub(crate) mod answer;
mod components;
pub(crate) mod deliver;
mod in_time;
pub(crate) mod inspect;
pub(crate) mod interrupted;
mod modal;
mod reply_menu;
mod serve;
