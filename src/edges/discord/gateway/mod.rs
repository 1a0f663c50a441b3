//! The gateway connection: from the token to the last answer at shutdown.

mod connected;
mod connection;
pub(crate) mod handler;
mod logins;
mod proxy;
mod token;
mod undecodable;
mod watchdog;

pub use connection::Edge;
pub use proxy::{ProxyError, find_proxy};
pub use token::{TokenError, find_token};
pub use watchdog::{GATEWAY_LOG, Heard, listen};
