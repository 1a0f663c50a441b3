//! What Discord should have against what it has: the difference as a plan, and nothing done about it.
//!
//! Commands are compared by meaning, so that what Discord fills in or leaves out is no difference. A command that
//! stands keeps its id, because a command that is removed and created again loses the permissions that a server's
//! administrators gave it.

mod complaint;
mod difference;
mod fingerprint;
mod meaning;
mod memory;
mod plan;
mod show;
#[cfg(test)]
mod tests;
mod wanted;

pub use complaint::{ManifestLines, complaints};
pub use difference::Difference;
pub use fingerprint::fingerprint;
pub use memory::{CREATES_PER_DAY_MAX, Remembered, SyncMemory, day_of, next_day};
pub use plan::{Change, CommandChange, Keep, Plan, plan, writable};
pub use wanted::{CHAT_INPUT, ENTRY_POINT, Key, MESSAGE_MENU, Scope, Terms, USER_MENU, Wanted};
