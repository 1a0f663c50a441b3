//! The tables of the store, one file for each kind of data.

mod chat;
pub(super) mod commands;
mod due_calls;
mod health;
mod leases;
mod live_messages;
mod logins;
mod places;
mod privacy;
mod records;
mod registrations;
mod samples;
mod secrets;
mod time;
mod words;
