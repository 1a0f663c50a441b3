//! Requests to Discord: the client, its errors, and the retries.

mod application;
pub(crate) mod client;
mod diagnosis;
mod error;
mod limits;
mod read;
mod refusals;
mod request;
pub(crate) mod send;
mod standing;

pub(crate) use application::{Application, Gateway};
pub(crate) use client::{build, client, file_client};
pub use diagnosis::{Diagnosis, diagnose};
pub(crate) use diagnosis::{clock_off, intents_of, lacks, untold, user_install};
pub use error::DiscordError;
pub(crate) use error::{INVALID_INTENTS, INVALID_SHARD, OLD_VERSION, RequestError, TOO_FEW_SHARDS, unreached};
pub(crate) use limits::LimitHeaders;
pub(crate) use read::read_as_each;
pub(crate) use request::{Posted, Rest};
pub(crate) use send::{RetryLimit, SendError, change, once, repeated, twice, with_retries};
pub(crate) use standing::{RIGHTS_STAND_FOR, STANDS_FOR, Standing, THREADS, is_here, standing, standing_of_guild};
