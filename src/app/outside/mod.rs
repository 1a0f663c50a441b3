//! Starts the programs and MCP servers of modules that are not compiled in.

mod sign_in;
mod starting;
mod tool_server;

pub use sign_in::{SignInPlace, sign_in_place};
pub use starting::Starting;
pub(crate) use starting::{Disk, own_binary, remove_unused, start_all};
