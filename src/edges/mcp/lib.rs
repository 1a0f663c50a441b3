//! A client of MCP servers that trusts none of them: programs on two pipes, and servers on HTTP.
//!
//! [`Server::over_streams`] and [`Server::over_http`] do the handshake, [`Server::tools`] says what there is and
//! [`Server::call`] runs one tool. Whatever a server says is bounded while it is read, and has a deadline. A server
//! that breaks the protocol is told from one that is slow, gone or honest about a failure: see [`McpError`]. A part of a
//! message that cannot be read costs that part alone: a block of an answer, a tool of a list, a line that is no message.
//!
//! The client offers nothing to the server: no sampling, no elicitation, no roots. It speaks the versions of MCP that
//! begin with `initialize`.

mod address;
mod answer;
mod end;
mod error;
mod limits;
mod oauth;
mod quiet;
mod server;
mod tool;
mod wire;

pub use address::{Authorization, HttpAddress, Machine, OAuth, OAuthClient};
pub use answer::{Piece, PieceKind, ToolResult};
pub use error::{McpError, Step};
pub use limits::Limits;
pub use oauth::{SignIn, sign_out};
pub use server::Server;
pub use tool::{Tool, ToolList, UnusableTool};
