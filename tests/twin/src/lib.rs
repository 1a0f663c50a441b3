//! A local stand-in for Discord, to test bots without a network and without a token.
//!
#![doc = include_str!("../README.md")]

mod gateway;
mod interaction;
mod limits;
mod load;
mod message;
mod payload;
mod record;
mod rest;
mod scenario;
mod twin;
#[cfg(feature = "cli")]
mod typed;

pub use gateway::Silence;
pub use interaction::{Interaction, Sent};
pub use limits::{check_command, check_commands, check_message};
pub use load::latency::Latency;
pub use load::report::{Cost, LoadReport};
pub use load::{Load, LoadError, Pace};
pub use message::Message;
pub use payload::snowflake::DISCORD_EPOCH_MS;
pub use payload::{APPLICATION_ID, BOT_ID, BOT_ROLE_ID, CHANNEL_ID, DM_CHANNEL_ID, GUILD_ID, OWNER_ID, USER_ID};
pub use record::Recorded;
pub use record::show::show;
pub use rest::SentFile;
pub use rest::errors::Refusal;
pub use rest::fault::Fault;
pub use rest::rate::{Rate, RateLimits};
pub use scenario::Scenario;
pub use scenario::play::{Failed, Report};
pub use scenario::read::BadLine;
pub use twin::Twin;
pub use twin::options::Options;
#[cfg(feature = "cli")]
pub use typed::{Typed, read_line};
