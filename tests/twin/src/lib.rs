//! A local stand-in for Discord: REST v10 and the gateway, on 127.0.0.1, by plain http and ws.
//!
//! It plays one small world: an application with its bot, a guild with one channel, a direct channel, and people. It
//! sends what Discord would send, refuses what Discord's documented limits refuse, and records what the bot does.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use discord_twin::{Interaction, Twin};
//! use std::time::Duration;
//!
//! let twin = Twin::start().await?;
//! // Start a bot whose Discord is at `twin.url()`, then:
//! twin.wait_ready(Duration::from_secs(10)).await;
//! let sent = twin.interact(Interaction::slash("status").option("metric", "cpu"));
//! let answer = twin.answer_to(&sent, Duration::from_secs(3)).await;
//! assert!(answer.is_some_and(|answer| answer.text().contains('%')));
//! assert_eq!(twin.refused(), []);
//! # Ok(())
//! # }
//! ```
//!
//! # Strict
//!
//! Whatever breaks a documented rule is refused with Discord's status, code and tree of places, and stands in
//! [`Twin::refused`] with the name of its [`rule`](Recorded::rule): a test that ends with `refused() == []` covers all of
//! them. What closes a connection to the gateway stands in [`Twin::closes`]. Discord's rates are headers on every answer
//! and are held to on demand: [`Options::rate_limits`]. A day's budgets are set by [`Twin::set_creates_used`] and
//! [`Twin::set_session_starts_left`], the age of an interaction by [`Twin::age`].
//!
//! # Scenarios
//!
//! A [`Scenario`] is a file of steps, played by [`Twin::play`] or by `discord-twin --scenario FILE`.
//!
//! What it leaves out: compression, voice, threads, permissions in channels, and every route that the bot does not use
//! (404).

mod errors;
mod fault;
mod gateway;
mod interaction;
mod limits;
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
