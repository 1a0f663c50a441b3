//! Module settings and channels that a guild's administrators set.

mod assignments;
mod channels;
mod settings;

pub use channels::GuildModuleChannels;
pub use settings::GuildModuleSettings;
