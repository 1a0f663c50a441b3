//! Commands on Discord: who may run them, what they take, and how they answer.

mod access;
mod answers;
mod controls;
pub(crate) mod files;
mod later;
mod limited;
mod modals;
mod options;
mod send;
mod settings;
mod status;
mod thread;
