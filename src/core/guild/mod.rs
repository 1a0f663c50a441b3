//! The guild settings that administrators change with `/settings`: their values, and the sheet of a guild with its last
//! changes.

mod cooldowns;
mod ids;
mod of_modules;
mod setting;
mod sheet;
mod switched_off;
mod unfit;
mod value;
mod values;

pub use cooldowns::{Counted, GuildCooldowns};
pub use of_modules::{GuildModuleChannels, GuildModuleSettings};
pub use setting::{Fixed, GuildSetting, Unset};
pub use sheet::{ChangedBy, GuildSheet, SheetChange};
pub use switched_off::{OffHere, SwitchedOff};
pub use unfit::Unfit;
pub use value::{GuildValue, Known, Persona};
pub use values::{GuildDenied, GuildValues};
