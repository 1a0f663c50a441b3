//! The operator's settings: as written, then as valid.
//!
//! [`read`] turns the text of `config.toml` into [`Settings`] or into every problem in it. Whatever is not
//! written has a default that works in an empty folder.
#![deny(clippy::disallowed_methods)]

mod address;
mod raw;
mod settings;

pub use address::{ADDRESS_HELP, AddressError, web_address};
pub use raw::{Places, Reading, read, read_leniently};
pub use settings::{
    AdminSettings, ChatSettings, DiscordSettings, HostMetricsSettings, LiveSettings, LogFormat, ModelSettings,
    ModulesSettings, OnViolation, Settings, StatusSettings,
};
