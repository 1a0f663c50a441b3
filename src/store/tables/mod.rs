//! The tables of the store, one file for each kind of data.

mod chat;
pub(super) mod commands;
mod health;
mod left_open;
mod personal;
mod records;
mod registrations;
mod retention;
mod samples;
mod secrets;
mod stored;
mod words;
