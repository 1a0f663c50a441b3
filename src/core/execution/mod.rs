//! From a permit to a receipt, and the proof that every command can be reached.

mod arguments;
mod probe;
mod ticket;

pub use probe::probe;
pub use ticket::{Closed, End, Returned, RunFailure, Running, Ticket, open};
