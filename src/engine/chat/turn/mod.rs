//! One turn: the requests to the model, and the calls that it makes.

mod caller;
mod calls;
mod context;
mod drive;
mod progress;

pub(super) use caller::{TurnCaller, TurnRights};
pub(super) use context::{Context, Heard};
pub(super) use drive::NoTurn;
