//! Plans command registration: compares the wanted commands with those on Discord, without changing anything.
//!
//! Commands are compared by meaning, so Discord's defaults and omissions do not count as differences. An existing
//! command keeps its id, because removing and recreating it would lose the permissions that a guild's administrators
//! gave it.

mod complaint;
mod difference;
mod meaning;
mod memory;
mod plan;
mod show;
#[cfg(test)]
mod tests;
mod wanted;

pub use complaint::{ManifestLines, complaints};
pub use difference::Difference;
pub use meaning::fingerprint;
pub use memory::{CREATES_PER_DAY_MAX, Remembered, SyncMemory, day_of, next_day};
pub use plan::{Keep, SyncAction, SyncPlan, SyncStep, plan, writable};
pub use wanted::{CHAT_INPUT, ENTRY_POINT, Key, MESSAGE_MENU, Scope, Terms, USER_MENU, WantedCommand};
