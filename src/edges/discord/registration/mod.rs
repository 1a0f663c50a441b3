//! Keeps the commands registered at Discord in step with those in force.
//!
//! Lists the registered commands, compares by meaning, and sends only the differences. Runs beside the connection. Any
//! failure here is a warning, and registered commands keep working. A command whose update Discord rejects is never
//! removed, because a removed command loses its permissions permanently.

mod api;
pub(crate) mod apply;
mod error;
mod memory;
pub(crate) mod payload;
mod progress;
mod registrar;
mod report;
mod servers;
mod sets;
mod sync_loop;
mod wanted;

pub use apply::{CommandOutcome, StepOutcome};
pub use error::{Halt, RetryWhen};
pub(crate) use progress::Progress;
pub use registrar::{Diff, Places, Registrar, SyncReport, application_id};
pub use report::NotInPlace;
pub(crate) use servers::GuildLoop;
pub(crate) use sync_loop::SyncLoop;
pub use sync_loop::{Reconciler, SyncStatus};
