//! The gateway connection: from the token to the last answer at shutdown.

mod close;
mod connected;
mod connection;
pub(crate) mod handler;
mod happened;
mod logins;
mod proxy;
mod pulse;
mod relay;
mod session;
mod token;
mod undecodable;

pub use connection::{Edge, EdgeStore};
pub use logins::RESERVE as LOGINS_RESERVE;
pub use proxy::{ProxyError, find_proxy};
pub use pulse::{Pulse, ShardState};
pub(in crate::edges::discord) use session::handed_on;
pub use token::{TOKEN_READ_MAX, TokenError, TokenProblem, find_token, parse_token};
