//! Converts Discord's events into the core's types.

mod entity;
mod event;
mod member;
pub(crate) mod reduced;
#[cfg(test)]
mod tests;
pub(crate) mod used;

pub(crate) use event::{caller, focused, interaction, language, message, of_command, place, sent};
pub(crate) use used::{Used, chosen, fields};
