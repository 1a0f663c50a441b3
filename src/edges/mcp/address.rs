//! Where a server that runs elsewhere is, and how the bot shows who it is.

use std::path::PathBuf;

use secrecy::SecretString;
use url::{Host, Url};

use crate::error::McpError;

/// Where a server is, and what it is shown.
#[derive(Clone, Debug)]
pub struct HttpAddress {
    /// Its endpoint: `https://example.org/mcp`.
    pub url: Url,
    /// What the header `Authorization` holds.
    pub authorization: Authorization,
    /// Whether `http` is allowed for other machines, too: within a private network.
    pub insecure: bool,
}

/// What the header `Authorization` holds.
#[derive(Clone, Debug)]
pub enum Authorization {
    /// There is none.
    None,
    /// This token.
    Bearer(SecretString),
    /// A token of a sign-in.
    OAuth(OAuth),
    /// A token that the bot gets for itself, as a client that was registered by hand.
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

/// Whether an address is one of this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// How the bot is known where it signs in, and where its tokens are.
#[derive(Clone, Debug)]
pub struct OAuth {
    /// A client that was registered by hand. Without one, the bot registers itself.
    pub client: Option<OAuthClient>,
    /// What it asks for. Nothing: what the server says.
    pub scopes: Vec<String>,
    /// The file of the tokens. Its folder is made, too.
    pub file: PathBuf,
}

/// A client that was registered by hand.
#[derive(Clone, Debug)]
pub struct OAuthClient {
    /// Its id.
    pub id: String,
    /// Its secret, if it has one.
    pub secret: Option<SecretString>,
}

/// A client that signs in by itself: there is no person whose data it sees. Its tokens are kept nowhere.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its id.
    pub id: String,
    /// Its secret.
    pub secret: SecretString,
    /// What it asks for. Nothing: what the server gives.
    pub scopes: Vec<String>,
}
