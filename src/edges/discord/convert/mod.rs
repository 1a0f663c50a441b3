//! Converts Discord's events into the core's types.

mod came_with;
mod entity;
mod event;
mod member;
pub(crate) mod reduced;
mod sent;
#[cfg(test)]
mod tests;
pub(crate) mod used;

pub(crate) use came_with::quoted;
pub(crate) use event::{focused, interaction, language, message, of_command, place, read_message};
pub(crate) use sent::sent;
pub(crate) use used::{Used, chosen, fields, put_chosen, with_fields};
