//! Discord: the only files that name serenity and poise.
//!
//! Our own event handler stands in front; poise is called as a dispatcher and does not own the process.
//! Nothing here decides. An event is converted into an inbound, the dispatcher answers it, and the answer
//! is rendered. Registration runs beside the connection and can never stop the bot.
//!
//! A slash command walks: `handler` -> `gate` (may it start?) -> `interactions` (what kind is it?) -> poise (which
//! entry of the table?) -> `commands` -> `convert` -> the dispatcher -> `respond` (how does it look?) -> `deliver`.
//!
//! What is pressed or sent in walks: `handler` -> `interactions` -> `pressed` (whose is it? `custom_id` knows) -> the
//! dispatcher -> `deliver`. What of an answer can be pressed is put below it by `controls`; what is asked for in a form, by
//! `form`.

mod button;
mod clean;
mod commands;
mod connected;
mod controls;
mod convert;
mod custom_id;
mod deliver;
mod error;
mod form;
mod gate;
mod gateway;
mod handler;
mod http;
mod in_time;
mod interactions;
mod live_status;
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
mod unknown;
mod watchdog;

pub use error::DiscordError;
pub use gateway::Edge;
pub use proxy::{ProxyError, find_proxy};
pub use register::{Again, Applied, Became, Halt, Look, Outcome, Reconciler, Registered, Registrar};
pub use token::{TokenError, find_token};
pub use watchdog::{GATEWAY_LOG, Refusals, refusals};
