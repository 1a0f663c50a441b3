//! Keeps the commands registered at Discord in step with those in force.
//!
//! Reads what is registered, compares by meaning, and sends only the differences. Runs beside the connection; any
//! failure here is a warning, and registered commands keep working: a command whose update Discord rejects is never
//! removed, because a removed command loses its permissions for good.

mod api;
pub(crate) mod apply;
mod error;
pub(crate) mod keep;
mod memory;
pub(crate) mod payload;
mod registrar;
mod report;
mod wanted;

pub use apply::{CommandOutcome, StepOutcome};
pub use error::{Halt, RetryWhen};
pub(crate) use keep::keep;
pub use keep::{Reconciler, SyncStatus};
pub use registrar::{Diff, Registrar, SyncReport};
