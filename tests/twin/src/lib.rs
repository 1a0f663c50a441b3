//! A local stand-in for Discord, to test bots without a network and without a token.
//!
#![doc = include_str!("../README.md")]

mod errors;
mod fault;
mod gateway;
mod interaction;
mod limits;
mod load;
mod message;
mod observe;
mod options;
mod payload;
mod rate;
mod record;
mod rest;
mod scenario;
mod server;
mod show;
mod snowflake;
mod state;
mod twin;
#[cfg(feature = "cli")]
mod typed;

pub use errors::Refusal;
pub use fault::Fault;
pub use interaction::{Interaction, Sent};
pub use limits::{check_command, check_commands, check_message};
pub use load::{Cost, Latency, Load, LoadError, LoadReport, Pace};
pub use message::Message;
pub use options::Options;
pub use payload::{APPLICATION_ID, BOT_ID, CHANNEL_ID, DM_CHANNEL_ID, GUILD_ID, OWNER_ID, USER_ID};
pub use rate::{Rate, RateLimits};
pub use record::Recorded;
pub use rest::SentFile;
pub use scenario::{BadLine, Failed, Report, Scenario};
pub use show::show;
pub use snowflake::DISCORD_EPOCH_MS;
pub use twin::Twin;
#[cfg(feature = "cli")]
pub use typed::{Typed, read_line};
