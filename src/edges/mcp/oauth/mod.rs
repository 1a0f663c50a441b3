//! Signing in at a server by OAuth, as MCP has it: once, in the browser of whoever runs the bot. After that the tokens are
//! kept in a file and renewed as they expire. A client that was registered by hand can also sign in by itself.
//!
//! The protocol is rmcp's: where to sign in is asked of the server, a client registers itself unless one was registered by
//! hand, and codes are proved by PKCE. What is read over the web has the bounds of this crate.

mod kept;
mod sign_in;
mod tokens;
mod web;

pub use sign_in::SignIn;
pub use tokens::sign_out;

pub(crate) use tokens::Tokens;
