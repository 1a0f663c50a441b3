//! Signs in to a server by OAuth as MCP defines it: once, in the operator's browser. After that the tokens are kept in
//! a file and renewed as they expire. A manually registered client can also sign in by itself.
//!
//! The protocol is rmcp's: the server names the sign-in server, a client registers itself unless one was registered
//! manually, and codes are protected by PKCE. Web reads have the limits of this crate.

mod sign_in;
mod token_store;
mod tokens;
mod web;

pub use sign_in::SignIn;
pub use tokens::sign_out;

pub(crate) use tokens::Tokens;
