//! Executes permitted commands and creates their receipts; also probes that every command can be reached.

mod begun;
mod operator;
mod probe;
mod ticket;

pub use begun::{Begun, Left};
pub use operator::{OperatorCommand, operator_receipt};
pub use probe::probe;
pub use ticket::{Closed, Effect, End, NotStored, Returned, RunFailure, Running, Ticket, open};
