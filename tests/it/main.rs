//! The integration tests, in one binary.

mod architecture;
mod check;
mod cli;
mod config;
mod console;
mod discord;
mod live;
mod model;
mod router;
mod store;
