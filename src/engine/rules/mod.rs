//! State in force: the registry, which a reload replaces, and the settings of guilds, which their administrators
//! change.

mod around;
mod channels_of_guilds;
mod guilds;
mod module_setting;
mod registry;

pub(crate) use around::Around;
pub use guilds::Guilds;
pub(crate) use module_setting::SettingOfModule;
pub use registry::InForce;
