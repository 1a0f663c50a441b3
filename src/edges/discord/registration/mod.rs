//! Keeps the commands at Discord in step with those in force.
//!
//! Reads what stands, compares by meaning, and sends only what differs. Runs beside the connection; whatever goes wrong
//! here is a warning, and commands that stand at Discord keep working: what Discord refuses is never taken away
//! there, because a removed command loses its permissions for good.

mod api;
pub(crate) mod apply;
pub(crate) mod keep;
mod memory;
pub(crate) mod payload;
mod registrar;
mod report;
mod trouble;
mod wanted;

pub use apply::{CommandOutcome, StepOutcome};
pub(crate) use keep::keep;
pub use keep::{Reconciler, SyncStatus};
pub use registrar::{Diff, Registrar, SyncReport};
pub use trouble::{Halt, RetryWhen};
