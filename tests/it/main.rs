//! The integration tests, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod architecture;
mod bot;
mod check;
mod cli;
mod config;
mod console;
mod discord;
mod discord_answers;
mod discord_connection;
mod discord_registration;
mod dispatch;
mod live;
mod model;
mod readme;
mod router;
mod scripted_model;
mod startup;
mod store;
