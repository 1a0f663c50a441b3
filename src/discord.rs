//! Discord: the only files that name serenity and poise.
//!
//! Our own event handler stands in front; poise is called as a dispatcher and does not own the process.
//! Nothing here decides. An event is converted into an inbound, the dispatcher answers it, and the answer
//! is rendered. Registration runs beside the connection and can never stop the bot.
//!
//! A slash command walks: `handler` -> `gate` (may it start?) -> `interactions` (what kind is it?) -> poise (which
//! entry of the table?) -> `commands` -> `convert` -> the dispatcher -> `respond` (how does it look?) -> `deliver`.

mod button;
mod clean;
mod commands;
mod connected;
mod convert;
mod deliver;
mod error;
mod gate;
mod gateway;
mod handler;
mod http;
mod interactions;
mod mentions;
mod messages;
mod payload;
mod posts;
mod pressed;
mod proxy;
mod questions;
mod register;
mod respond;
mod surface;
mod token;
mod turn_text;
mod undecodable;
mod watchdog;

pub use error::DiscordError;
pub use gateway::Edge;
pub use proxy::{ProxyError, find_proxy};
pub use token::{TokenError, find_token};
pub use watchdog::{GATEWAY_LOG, Refusals, refusals};
