//! A client of MCP servers that trusts none of them: programs on two pipes, and servers on HTTP.
//!
//! [`Server::over_streams`] and [`Server::over_http`] do the handshake, [`Server::tools`] lists the tools and
//! [`Server::call`] runs one. Every message of a server has a size limit while it is read, and a deadline. [`McpError`]
//! distinguishes a server that breaks the protocol from one that is slow, gone or honest about a failure. An unreadable
//! part costs only itself: a block of an answer, a tool of a list, a line that is not a message.
//!
//! The client offers nothing to the server: no sampling, no elicitation, no roots. It speaks the versions of MCP that
//! begin with `initialize`.

mod address;
mod answer;
mod end;
mod error;
mod oauth;
mod server;
mod silence;
mod tool;
mod wire;

pub use address::{Authorization, HttpAddress, Machine, OAuth, OAuthClient};
pub use answer::{Piece, PieceKind, ToolResult};
pub use error::{McpError, Step};
pub use oauth::{SignIn, sign_out};
pub use server::{Limits, Server};
pub use tool::{Tool, ToolList, UnusableTool};
