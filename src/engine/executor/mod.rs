//! Runs commands: a permit, a handler with a deadline, and one commit of its changes with claim and receipt.
//!
//! The person gets the true outcome of a handler (an answer, a refusal, an error, a panic, a timeout), and the ledger
//! records the same. Closing the [`Ticket`](candor_core::execution::Ticket) of a run makes its receipt.

mod calls;
mod charts;
mod cooldowns;
mod effects;
mod flights;
mod late;
mod ledger;
mod recovery;
mod run;
mod runner;
#[cfg(test)]
mod tests;

pub use calls::ModuleCalls;
pub(crate) use calls::send_channels;
pub use charts::Charts;
pub use cooldowns::CooldownStore;
pub use flights::Flights;
pub use late::LateReceipts;
pub use ledger::{
    Beginning, Commit, Committed, Intended, Intent, Keeping, Ledger, OpenIntent, ReceiptCommit, StagedChange, Wait,
};
pub use recovery::{LeftRuns, Teller, Telling};
pub use run::Ran;
pub use runner::{Deferral, Executor};
