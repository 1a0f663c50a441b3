//! Discord: the only files that name serenity and poise.
//!
//! serenity builds requests, and poise builds the commands to register. Neither interprets events. An event is parsed
//! and converted into an inbound, the dispatcher answers it, and the answer is rendered. This edge makes no decisions.
//! Registration runs beside the connection and can never stop the bot.
//!
//! Each module may use only those listed before it: `payload` (the parsed parts of Discord's events), `rest` (requests,
//! and Discord's data about the bot), `convert` (events as the core's types), `custom_id` (signed custom ids of
//! components and modals), `render` (answers as Discord messages), `registration` (the commands at Discord), `live`
//! (live answers), `gate` (admission of events), `shared` (the state for all events, and the questions that wait for a
//! click), `messages`, `interactions`, `gateway` (the sessions and their events), and `untrusted` (the conversion
//! without a connection, for fuzzing).

mod convert;
mod custom_id;
mod gate;
pub mod gateway;
mod interactions;
mod live;
mod messages;
mod payload;
pub mod registration;
mod render;
mod rest;
mod shared;
pub mod untrusted;

pub use interactions::inspect::{ControlFacts, Inspected, Inspector};
pub use registration::{
    CommandOutcome, Diff, Halt, NotInPlace, Reconciler, Registrar, RetryWhen, StepOutcome, SyncReport, SyncStatus,
    application_id,
};
pub use rest::{Diagnosis, DiscordError, diagnose};
pub use shared::files::Files;
pub use shared::requester::{Connection, Requester};
