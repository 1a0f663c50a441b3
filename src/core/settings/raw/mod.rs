//! Reads the settings file: each section key by key, over the defaults.

mod chat;
mod chat_places;
mod file;
mod id;
pub(super) mod locations;
mod metrics;
mod model;
mod permissions;
mod reader;
mod secret;

pub use file::{ReadSettings, read, read_leniently};
