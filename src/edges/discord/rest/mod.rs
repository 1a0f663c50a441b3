//! Requests to Discord: the client, its errors, and the retries.

pub(crate) mod client;
mod error;
pub(crate) mod send;

pub(crate) use client::{build, client, describe, is_dead, status, sweep};
pub use error::DiscordError;
pub(crate) use error::{INVALID_SHARD, OLD_VERSION, TOO_FEW_SHARDS};
pub(crate) use send::{SendError, change, may_have_arrived, patiently, twice};
