//! Messages that wait for a chat turn: those on their way to a queue, and the queues.

mod arrivals;
mod queues;

pub use arrivals::Arriving;
pub(super) use queues::{
    Admitted, CHARACTERS_MAX, Entered, MESSAGES_MAX, RunningTurn, SHARE_OF_ONE, Said, Stop, TurnQueues,
};
