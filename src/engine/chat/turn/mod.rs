//! One turn: the requests to the model, and the calls that it makes.

mod caller;
mod calls;
mod drive;
mod followed;
mod gather;

pub(super) use caller::TurnCaller;
pub(super) use drive::NoTurn;
pub(super) use gather::{Context, Heard};
