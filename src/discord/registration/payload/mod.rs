//! The payload that registers a command: poise's own, completed with the fields that poise lacks.

mod command;
pub(crate) mod localized;
mod option;
pub(crate) mod shape;
#[cfg(test)]
mod tests;

pub(crate) use command::{key, wanted};
