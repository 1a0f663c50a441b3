//! The address of a remote MCP server, and the bot's credentials for it.

use std::path::PathBuf;

use secrecy::SecretString;
use url::{Host, Url};

use crate::mcp::error::McpError;

/// The address of a server, and the credentials for it.
#[derive(Clone, Debug)]
pub struct HttpAddress {
    /// The endpoint: `https://example.org/mcp`.
    pub url: Url,
    pub authorization: Authorization,
    /// Whether `http` is also allowed to other machines: within a private network.
    pub insecure: bool,
}

/// The content of the header `Authorization`.
#[derive(Clone, Debug)]
pub enum Authorization {
    None,
    Bearer(SecretString),
    /// A token of a sign-in.
    OAuth(OAuth),
    /// A token that the bot gets for itself, as a manually registered client.
    Machine(Machine),
}

impl HttpAddress {
    pub(crate) fn check(&self) -> Result<(), McpError> {
        let problem = match self.url.scheme() {
            _ if !self.url.username().is_empty() || self.url.password().is_some() => {
                "its address holds a name or a password: give a bearer token instead"
            }
            "https" => return Ok(()),
            "http" if is_loopback(&self.url) || self.insecure => return Ok(()),
            "http" => "its address is not encrypted: write `https`, or allow it for a private network",
            _ => "its address begins with neither `https` nor `http`",
        };
        Err(McpError::unreachable(problem))
    }
}

/// Returns whether an address is on this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The bot's client at the sign-in server, and the file of its tokens.
#[derive(Clone, Debug)]
pub struct OAuth {
    /// A manually registered client. If `None`, the bot registers itself.
    pub client: Option<OAuthClient>,
    /// The requested scopes; if empty, those that the server names.
    pub scopes: Vec<String>,
    /// The file of the tokens. Its folder is created if missing.
    pub file: PathBuf,
}

#[derive(Clone, Debug)]
pub struct OAuthClient {
    pub id: String,
    pub secret: Option<SecretString>,
}

/// A client that signs in by itself, without a person whose data it sees. Its tokens stay in memory.
#[derive(Clone, Debug)]
pub struct Machine {
    pub id: String,
    pub secret: SecretString,
    /// The requested scopes; if empty, the server chooses.
    pub scopes: Vec<String>,
}
