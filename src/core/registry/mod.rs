//! The registry: the checked, immutable commands in force, and the only table for dispatch.

mod build;
pub(crate) mod catalog;
mod changes;
mod commands;
mod failed;
mod not_in_force;
mod rights;
mod table;

pub use catalog::{Catalog, LazyNames, NameLookup};
pub use changes::{ChangeKind, CommandChange};
pub use commands::{ModuleFacts, Registry};
pub use failed::NotInForce;
pub use rights::rights;
pub use table::{CommandRow, Reach, SyncOutcome, registration_table};
