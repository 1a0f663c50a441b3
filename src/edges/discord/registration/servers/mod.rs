//! A set of commands for each guild, without the commands that its administrators switched off.

mod guild_loop;
mod queue;

pub(crate) use guild_loop::GuildLoop;
