//! The tables of the store, one file for each kind of data.

mod chat;
pub(super) mod commands;
mod health;
mod left_open;
mod privacy;
mod records;
mod registrations;
mod samples;
mod secrets;
mod stored;
mod time;
mod words;
