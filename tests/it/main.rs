//! The integration tests, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod architecture;
mod bot;
mod check;
mod cli;
mod config;
mod console;
mod console_turn;
mod discord;
mod discord_answers;
mod discord_asked;
mod discord_chat;
mod discord_connection;
mod discord_registration;
mod discord_turn;
mod dispatch;
mod live;
mod metrics;
mod model;
mod readme;
mod real_model;
mod router;
mod scripted_model;
mod startup;
mod store;
mod turn_receipts;
