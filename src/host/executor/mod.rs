//! Runs commands: permit, claim, handler under a deadline, receipt.
//!
//! Whatever happens to a handler (an answer, a refusal, an error, a panic, a time-out), the person is told exactly
//! that, and the ledger says the same. Receipts are made by closing the [`Ticket`](candor_core::execution::Ticket) of a
//! run.

mod charts;
mod cooldowns;
mod ledger;
mod run;
#[cfg(test)]
mod tests;

pub use charts::Charts;
pub use cooldowns::{CooldownStore, Taking};
pub use ledger::{Commit, Committed, Ledger};
pub use run::Executor;
