//! The real binary with the real serenity client against the twin.

pub(crate) mod chat;
pub(crate) mod commands;
pub(crate) mod connected;
pub(crate) mod connection;
mod crash;
mod language;
mod lost;
mod privacy;
mod registration;
mod scenario;
mod smoke;
mod surfaces;
