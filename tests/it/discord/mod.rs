//! The real binary with the real serenity client against the twin.

mod answers;
mod asked;
mod chat;
pub(crate) mod commands;
pub(crate) mod connection;
mod controls;
mod growing;
mod language;
mod line;
mod modals;
mod model;
mod permissions;
mod registration;
mod scenario;
mod status;
mod surfaces;
mod talking;
mod turn;
