//! State in force: the registry, which a reload replaces, and the settings of guilds, which their administrators
//! change.

mod around;
mod channels_of_guilds;
mod guilds;
mod registry;

pub(crate) use around::Around;
pub use guilds::{Guilds, KnownServers};
pub use registry::InForce;
