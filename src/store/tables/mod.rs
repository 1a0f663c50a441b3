//! The tables of the store, one file for each kind of data.

mod abandoned;
mod chat;
pub(super) mod commands;
mod health;
mod personal;
mod queues;
mod records;
mod registrations;
mod retention;
mod samples;
mod secrets;
mod words;
