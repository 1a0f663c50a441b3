//! The objects that the twin simulates: the application with its bot, the guild, its channel, and users.

mod attachment;
mod fixed;
mod guild;
mod message;
pub(crate) mod snowflake;

pub(crate) use attachment::{attach, attachment};
pub use fixed::{APPLICATION_ID, BOT_ID, BOT_ROLE_ID, CHANNEL_ID, DM_CHANNEL_ID, GUILD_ID, OWNER_ID, USER_ID};
pub(crate) use fixed::{EPHEMERAL, IS_COMPONENTS_V2, LOADING, SUPPRESS_EMBEDS, application, current_user, user};
pub(crate) use guild::{channel, denied, dm_channel, guild, member, member_of_guild, role, thread};
pub(crate) use message::{apply_edit, bot_message, make_response, plain_message};
