//! The operator's settings: as written, then as valid.
//!
//! [`read`] turns the text of `config.toml` into [`Settings`] or into every problem in it. Whatever is not
//! written has a default that works in an empty folder.

mod address;
mod raw;
mod valid;

pub use address::{ADDRESS_HELP, AddressError, web_address};
pub use raw::{ReadSettings, SettingLocations, read, read_leniently};
pub use valid::{
    AdminSettings, DiscordSettings, HostMetricsSettings, LiveSettings, LogFormat, ModelSettings, ModulesSettings,
    OnViolation, Settings, StatusSettings,
};
