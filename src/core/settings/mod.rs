//! The operator's settings: parsing and validation of `config.toml`.
//!
//! [`read`] turns the text of `config.toml` into [`Settings`] or into a list of every problem in it. Every omitted
//! setting has a default that works in an empty folder.

mod address;
mod guild_rules;
mod model_api;
mod raw;
mod valid;

pub use address::{ADDRESS_HELP, AddressError, INSECURE_HELP, is_readable_on_the_way, web_address};
pub use guild_rules::GuildRules;
pub use model_api::ModelApi;
pub use raw::locations::{GivenHosts, GivenTable, SendTo, SettingLocations, TrustedModule};
pub use raw::{ReadSettings, read, read_leniently};
pub use valid::{
    AdminSettings, DiscordSettings, HostMetricsSettings, KeepSettings, LiveSettings, LogFormat, ModelSettings,
    ModulesSettings, OnViolation, PublishTo, ReceiptSettings, Settings, StatusSettings, StoreSettings,
};
