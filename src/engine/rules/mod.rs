//! State in force: the registry, which a reload replaces, and the rules of guilds, which their administrators change.
//!
//! Each event has one [`Rules`](candor_core::guild::Rules) value. The station that admits the event reads it once, by
//! [`Guilds::rules`], and hands it down; no later station reads the store or shared state for it. Only work that lasts
//! reads new rules: a chat turn that waited for its turn, and each call of a model.

mod around;
mod channels_of_guilds;
mod guilds;
mod module_setting;
mod registry;

pub(crate) use around::Around;
pub use guilds::Guilds;
pub(crate) use module_setting::SettingOfModule;
pub use registry::InForce;
