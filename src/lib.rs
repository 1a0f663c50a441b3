//! Candor: a self-hosted Discord bot that never fakes a command.

pub mod agent;
pub mod chat;
pub mod config;
pub mod contract;
pub mod diagnostic;
pub mod dispatch;
pub mod executor;
pub mod guard;
pub mod harness;
pub mod host_metrics;
pub mod inbound;
pub mod model;
pub mod module_folder;
pub mod nearest;
pub mod registry;
pub mod reply;
pub mod router;
pub mod store;
pub mod unicode;
pub mod watch;
pub mod written;

#[path = "../modules/mod.rs"]
pub mod modules;

pub use executor::receipt;
