//! The tables of the store, one file for each kind of data.

pub(super) mod commands;
mod conversations;
mod leases;
mod live_messages;
mod open_replies;
mod personal;
mod records;
mod registrations;
mod retention;
mod samples;
mod secrets;
mod spending;
mod time;
mod turns;
mod words;
