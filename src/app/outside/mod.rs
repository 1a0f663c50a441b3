//! What stands behind modules without Rust code: programs that are started, and servers of MCP.

mod sign_in;
mod starting;
mod tool_server;

pub use sign_in::{SignInPlace, sign_in_place};
pub use starting::Starting;
pub(crate) use starting::{Disk, own_binary, remove_unused, start_all};
