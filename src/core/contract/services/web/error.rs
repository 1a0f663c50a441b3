//! Why nothing was read over the web, for each of its audiences.

use crate::language::{Language, say};

/// Why nothing was read. As an `Error`, it is for the log: `?` in a handler makes it one that the caller does not see.
/// [`HttpError::told`] is for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// It is no address that is read: not `https`, another port, a name and password in it, an IP address in place of
    /// a host, or longer than 2,048 characters.
    #[error("this is not an `https` address of a host")]
    Address,
    /// The module may not read from this host.
    #[error("neither its manifest nor the operator lets the module read from this host")]
    HostNotAllowed,
    /// The host, or the one that it redirects to, is not on the public internet.
    #[error("the name of the host leads to no address of the public internet")]
    NotPublic,
    /// The host is unknown, does not answer, or does not prove its name.
    #[error("the host cannot be reached")]
    Unreachable,
    /// It took too long.
    #[error("the host did not answer in time")]
    TimedOut,
    /// There is more than [`RESPONSE_SIZE_MAX`](super::RESPONSE_SIZE_MAX).
    #[error("the answer is too large")]
    TooLarge,
    /// It leads from one address to the next.
    #[error("the host redirects too often")]
    Redirects,
    /// Too much is being read at the same time.
    #[error("too many addresses are being read at once")]
    Busy,
}

impl HttpError {
    /// A stable name, for the log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::HostNotAllowed => "host-not-allowed",
            Self::NotPublic => "not-public",
            Self::Unreachable => "unreachable",
            Self::TimedOut => "timed-out",
            Self::TooLarge => "too-large",
            Self::Redirects => "redirects",
            Self::Busy => "busy",
        }
    }

    /// What the caller of a command is told: a plain sentence.
    pub fn told(self, language: Language) -> String {
        match self {
            Self::Address => say!(language, "http-address"),
            Self::HostNotAllowed => say!(language, "http-host-not-allowed"),
            Self::NotPublic => say!(language, "http-not-public"),
            Self::Unreachable => say!(language, "http-unreachable"),
            Self::TimedOut => say!(language, "http-timed-out"),
            Self::TooLarge => say!(language, "http-too-large"),
            Self::Redirects => say!(language, "http-redirects"),
            Self::Busy => say!(language, "http-busy"),
        }
    }
}
