//! Why a web request failed, for the log and for the caller.

use crate::language::{Language, say};
use crate::text::names;

names! {
    /// Why nothing was read. As an `Error`, it is for the log: `?` in a handler hides it from the caller.
    /// [`HttpError::told`] is for the caller.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum HttpError {
        /// The URL is not accepted: not `https`, another port, a name and password, an IP address as host, or longer than
        /// 2,048 characters.
        #[error("this is not an `https` address of a host")]
        Address = "address",
        /// The module may not read from this host.
        #[error("neither its manifest nor the operator lets the module read from this host")]
        HostNotAllowed = "host-not-allowed",
        /// The host, or one that it redirects to, is not on the public internet.
        #[error("the name of the host leads to no address of the public internet")]
        NotPublic = "not-public",
        /// The host is unknown, does not answer, or fails TLS verification.
        #[error("the host cannot be reached")]
        Unreachable = "unreachable",
        /// The request timed out.
        #[error("the host did not answer in time")]
        TimedOut = "timed-out",
        /// The response is larger than [`RESPONSE_SIZE_MAX`](super::RESPONSE_SIZE_MAX).
        #[error("the answer is too large")]
        TooLarge = "too-large",
        /// There are too many redirects.
        #[error("the host redirects too often")]
        Redirects = "redirects",
        /// Too many requests are in progress.
        #[error("too many addresses are being read at once")]
        Busy = "busy",
    }
}

impl HttpError {
    /// Returns a plain sentence for the caller of a command.
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
