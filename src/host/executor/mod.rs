//! Runs commands: permit, handler under a deadline, and one commit of what it changes with its claim and its receipt.
//!
//! Whatever happens to a handler (an answer, a refusal, an error, a panic, a time-out), the person is told exactly
//! that, and the ledger says the same. Receipts are made by closing the [`Ticket`](candor_core::execution::Ticket) of a
//! run.

mod background;
mod charts;
mod cooldowns;
mod effects;
mod interrupted;
mod keeping;
mod ledger;
mod run;
mod runner;
#[cfg(test)]
mod tests;
mod under_way;

pub use charts::Charts;
pub use cooldowns::CooldownStore;
pub use interrupted::{LeftRuns, Teller, Telling};
pub use keeping::Keeping;
pub use ledger::{Beginning, Commit, Committed, Intended, Intent, Ledger, OpenIntent, StagedChange, Wait};
pub use run::Ran;
pub use runner::Executor;
pub use under_way::Flights;
