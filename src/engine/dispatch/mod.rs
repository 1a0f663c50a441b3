//! The dispatcher, the one path of every surface: routes an inbound, then runs a command, chats or refuses.
//!
//! Edges make an [`Inbound`](candor_core::inbound::Inbound) and render the [`Answer`](candor_core::reply::Answer).
//! Everything in between happens here. So the console and Discord cannot differ in which commands run, are refused or
//! reach the model. [`Dispatcher::plan`] returns a [`Plan`] at once: whether to open a modal, and the audience of the
//! answer. [`Dispatcher::carry_out`] does its work.

mod audit;
mod dispatcher;
mod events;
mod pace;
pub(crate) mod plan;
mod schedules;
mod suggest;

pub use crate::chat::{Arriving, NewThread, NoThread, Places, ReplyRef, Threads};
pub use crate::executor::{Keeping, Teller, Telling};
pub use dispatcher::{Dispatcher, Refresh};
pub use events::Happened;
pub use plan::Plan;
