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
mod registrar;
mod report;
mod sync_loop;

pub use apply::{CommandOutcome, StepOutcome};
pub use error::{Halt, RetryWhen};
pub use registrar::{Diff, Registrar, SyncReport, application_id};
pub use report::NotInPlace;
pub(crate) use sync_loop::SyncLoop;
pub use sync_loop::{Reconciler, SyncStatus};
