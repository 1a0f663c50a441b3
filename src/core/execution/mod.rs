//! Executes permitted commands and creates their receipts; also probes that every command can be reached.

mod arguments;
mod probe;
mod ticket;

pub use probe::probe;
pub use ticket::{Closed, End, Returned, RunFailure, Running, Ticket, open};
