//! What administrators of a guild set for modules there: their settings, and the channels that they may send to.

mod assignments;
mod channels;
mod settings;

pub use channels::GuildModuleChannels;
pub use settings::GuildModuleSettings;
