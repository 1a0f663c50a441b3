//! What is in force: the registry, which a reload replaces, and the settings of guilds, which their administrators
//! change.

mod guilds;
mod pickers;
mod registry;

pub use guilds::Guilds;
pub use pickers::Pickers;
pub use registry::InForce;
