//! The gateway connection: from the token to the last answer at shutdown.

mod connection;
mod event_triggers;
mod events;
mod inflate;
mod keep;
mod logins;
mod proxy;
mod pulse;
mod session;
mod sessions;
mod token;

pub use connection::{Edge, EdgeStore};
pub(crate) use events::ignored;
pub use logins::RESERVE as LOGINS_RESERVE;
pub use proxy::{ProxyError, find_proxy};
pub use pulse::Pulse;
pub use token::{TOKEN_READ_MAX, TokenError, TokenProblem, find_token, parse_token};
