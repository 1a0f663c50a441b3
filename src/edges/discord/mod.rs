//! Discord: the only files that name serenity and poise.
//!
//! Our own event handler stands in front; poise is called as a dispatcher and does not own the process.
//! Nothing here decides. An event is converted into an inbound, the dispatcher answers it, and the answer
//! is rendered. Registration runs beside the connection and can never stop the bot.
//!
//! Each room may use those before it: `rest` (requests), `convert` (events in our own words), `custom_id` (what a
//! component says when it is used), `render` (how an answer looks), `registration` (the commands at Discord), `live`
//! (answers that are kept up to date), `gate` (may it start?), `questions` (what waits for a click), `shared` (what every
//! event needs), `interactions`, `messages`, and `gateway` (the connection, and the event handler).

mod convert;
mod custom_id;
mod gate;
pub mod gateway;
mod interactions;
mod live;
mod messages;
mod questions;
pub(crate) mod registration;
mod render;
mod rest;
mod shared;

pub use registration::{
    CommandOutcome, Diff, Halt, Reconciler, Registrar, RetryWhen, StepOutcome, SyncReport, SyncStatus,
};
pub use rest::DiscordError;
