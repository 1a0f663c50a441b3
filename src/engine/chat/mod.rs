//! Chat: drives a turn. Asks the model, runs the calls that the turn planned, and labels the result.
//!
//! [`Turn`](candor_core::agent::Turn) makes every decision; this module carries out its effects: requests, commands
//! under the caller's own authority, a person's confirmation, and the record. A conversation has one turn at a time.
//! Later messages wait in its `queue`, and in other processes on the same store for its `turn_lease`.

mod answer;
mod arrivals;
mod budget;
mod buttons;
mod modes;
mod parts;
mod places;
mod queue;
mod shares;
mod talk;
mod turn;
mod turn_lease;

pub use arrivals::Arriving;
pub use budget::Budgets;
pub use buttons::{ReplyRef, Taken};
pub(crate) use modes::ToolModes;
pub use parts::{Chat, Pictures};
pub use places::Places;
pub(crate) use talk::{Cleared, ClearedConversation, ConversationContext};
pub use talk::{NewThread, NoThread, SummaryWriter, Talker, Threads};
pub use turn_lease::Held;
