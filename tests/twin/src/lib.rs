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
//! What it leaves out: rate limits other than those a test orders, voice, threads, permissions in channels, and every
//! route that the bot does not use (404).

mod errors;
mod fault;
mod gateway;
mod interaction;
mod limits;
mod message;
mod observe;
mod options;
mod payload;
mod record;
mod rest;
mod server;
mod show;
mod snowflake;
mod state;
mod twin;
mod typed;

pub use errors::Refusal;
pub use fault::Fault;
pub use interaction::{Interaction, Sent};
pub use limits::{check_command, check_commands, check_message};
pub use message::Message;
pub use options::Options;
pub use payload::{APPLICATION_ID, BOT_ID, CHANNEL_ID, DM_CHANNEL_ID, GUILD_ID, OWNER_ID, USER_ID};
pub use record::Recorded;
pub use show::show;
pub use snowflake::DISCORD_EPOCH_MS;
pub use twin::Twin;
pub use typed::{Typed, read_line};
