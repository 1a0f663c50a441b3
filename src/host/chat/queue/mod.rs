//! What waits for a chat turn: messages on their way to their conversation's queue, and the queues.

mod arrivals;
mod queues;

pub use arrivals::Arriving;
pub(super) use queues::{
    Admitted, CHARACTERS_MAX, Entered, MESSAGES_MAX, RunningTurn, SHARE_OF_ONE, Said, Stop, TurnQueues,
};
