//! Events received from Discord or the console, with their caller and place.
//!
//! Edges build these values. All other code knows the outside world only through them. A caller's identity is built
//! only here, from an event, never from the arguments of a command.

mod caller;
mod command_path;
mod event;
mod ids;
mod inclusions;
mod permissions;
mod picture;
mod place;

pub use caller::{Asking, CallMethod, Caller, Member};
pub use command_path::{CommandPath, CommandType};
pub use event::{Addressed, AuthorKind, GoOn, Inbound, Interaction, Message};
pub use ids::{ChannelId, EventId, GuildId, RoleId, UserId};
pub use inclusions::{AttachedFile, CameWith, MentionedPerson, Quoted, QuotedAuthor, QuotedMessage};
pub use permissions::Permissions;
pub use picture::{NoPicture, PICTURE_BYTES_MAX, PICTURE_PIXELS_MAX, PICTURE_SIDE_MAX, Picture, PictureReader};
pub use place::Place;
