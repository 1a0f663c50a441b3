//! Converts Discord's events into the core's types.

mod came_with;
mod entity;
mod event;
mod member;
mod sent;
#[cfg(test)]
mod tests;
pub(crate) mod used;

pub(crate) use came_with::quoted;
pub(crate) use event::{caller, interaction, language, message, of_command, place};
pub(crate) use sent::sent;
pub(crate) use used::{Used, chosen, fields, put_chosen, with_fields};
