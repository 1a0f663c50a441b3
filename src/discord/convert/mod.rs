//! Converts Discord's events into the core's types.

pub(crate) mod controls;
mod entity;
mod event;
mod inclusions;
#[cfg(test)]
mod tests;

pub(crate) use controls::{Used, chosen, fields, put_chosen, with_fields};
pub(crate) use event::{caller, interaction, language, message, of_command, place};
pub(crate) use inclusions::{quoted, sent};
