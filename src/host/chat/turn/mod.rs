//! One turn: the requests to the model, the calls that it makes, and the summary that may follow it.

mod caller;
mod calls;
mod drive;
mod followed;
mod gather;
mod summarise;

pub(super) use caller::TurnCaller;
pub(super) use drive::NoTurn;
pub(super) use gather::{Context, Heard};
pub(super) use summarise::EndedTurn;
pub use summarise::SummaryWriter;
