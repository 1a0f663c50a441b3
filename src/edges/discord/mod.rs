//! Discord: the only files that name serenity and poise.
//!
//! serenity builds requests, and poise the commands that are registered; neither is asked what an event is. Nothing here
//! decides: an event is read, converted into an inbound, the dispatcher answers it, and the answer is rendered.
//! Registration runs beside the connection and can never stop the bot.
//!
//! Each module may use only those listed before it: `payload` (what Discord sends, as far as it is read), `rest` (requests,
//! and what Discord says of the bot), `convert` (events as the core's types), `custom_id` (signed custom ids of components and modals), `render` (how an answer
//! looks), `registration` (the commands at Discord), `live` (live answers), `gate` (admission of events), `shared` (the
//! state that every event needs, with the questions that wait for a click), `messages`, `interactions`, `gateway` (the
//! sessions and their events), and `untrusted` (the conversion without a connection, for fuzzing).

mod convert;
mod custom_id;
mod gate;
pub mod gateway;
mod interactions;
mod live;
mod messages;
mod payload;
pub(crate) mod registration;
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
pub(crate) use shared::files::Files;
