//! Converts Discord's events into the core's types.

mod came_with;
mod entity;
mod event;
#[cfg(test)]
mod tests;
pub(crate) mod used;

pub(crate) use came_with::{quoted, sent};
pub(crate) use event::{caller, interaction, language, message, of_command, place};
pub(crate) use used::{Used, chosen, fields, put_chosen, with_fields};
