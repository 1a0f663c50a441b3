//! Runs commands: permit, claim, handler under a deadline, receipt.
//!
//! The only maker of receipts. Whatever happens to a handler (an answer, a refusal, an error, a panic, no
//! answer in time), the person is told exactly that, and the ledger says the same.

mod cooldowns;
mod run;
#[cfg(test)]
mod tests;

pub use cooldowns::{Cooldowns, Taking};
pub use run::{Executor, Ledger};
