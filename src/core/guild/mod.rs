//! The guild settings that administrators change with `/settings`: their values, the sheet of a guild with its last
//! changes, and the rules that they make for an event.

mod assignments;
mod cooldowns;
mod ids;
mod module_channels;
mod module_settings;
mod rules;
mod setting;
mod sheet;
mod switched_off;
mod unfit;
mod value;
mod values;

pub use cooldowns::{Counted, GuildCooldowns};
pub use module_channels::GuildModuleChannels;
pub use module_settings::GuildModuleSettings;
pub use rules::Rules;
pub use setting::{Fixed, GuildSetting, Unset};
pub use sheet::{ChangedBy, GuildSheet, SheetChange};
pub use switched_off::{OffHere, SwitchedOff};
pub use unfit::Unfit;
pub use value::{GuildValue, KnownNames, Persona};
pub use values::{GuildDenied, GuildValues};
