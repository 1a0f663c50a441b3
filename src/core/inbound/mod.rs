//! What arrived, in our own words: who, where, and what they typed or chose.
//!
//! Edges build these values from the outside world; everything behind them sees nothing else. A caller's identity is only
//! ever built here, from an event, never from the arguments of a command.

mod caller;
mod command_path;
mod event;
mod ids;
mod permissions;
mod place;

pub use caller::{Asked, Asking, Caller, Member};
pub use command_path::{CommandPath, CommandType};
pub use event::{Addressed, Author, Inbound, Interaction, Message};
pub use ids::{ChannelId, EventId, GuildId, RoleId, UserId};
pub use permissions::Permissions;
pub use place::Place;
