//! Errors of a server, as values that a check can distinguish.

use candor_core::text::{first_characters, one_line};

/// The most characters of a server's own words in an error.
const WORDS_MAX: usize = 200;

/// The request that a server did not answer in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Start,
    Tools,
    Call,
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Start => "the handshake",
            Self::Tools => "`tools/list`",
            Self::Call => "`tools/call`",
        })
    }
}

/// Why a server could not be used. A server's words in it are one harmless line of at most 200 characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// There is no connection to it, or its HTTP answer is not MCP.
    #[error("the server cannot be reached: {what}")]
    Unreachable { what: String },
    /// No sign-in was made, or it has expired.
    #[error("nobody is signed in to the server, or no longer")]
    SignedOut,
    #[error("signing in to the server failed: {what}")]
    SignIn { what: String },
    /// Its output ended.
    #[error("the server ended")]
    Exited,
    /// Its answer to the handshake violates MCP.
    #[error("the handshake failed: {what}")]
    Handshake { what: String },
    /// The two sides share no version of MCP.
    #[error("the server speaks MCP {theirs}, and not one of {ours}")]
    ProtocolVersion {
        /// The version that the server named.
        theirs: String,
        /// The versions that this client speaks.
        ours: String,
    },
    /// The handshake does not announce tools.
    #[error("the server has no tools")]
    NoTools,
    #[error("the server did not answer {step} in time")]
    TimedOut { step: Step },
    /// Its message exceeds a size limit.
    #[error("{what} is larger than {max}")]
    TooLarge {
        /// The part that is too large.
        what: &'static str,
        /// The limit, with its unit.
        max: String,
    },
    /// Its message violates MCP.
    #[error("the server broke the protocol: {what}")]
    Malformed {
        /// The violation and its place.
        what: String,
    },
    /// It received the request, but the connection broke before the answer arrived.
    #[error("the answer was lost: {what}")]
    Lost { what: String },
    #[error("the server refused: {message} (code {code})")]
    Refused { code: i32, message: String },
    /// This side closed the connection, or the server ended the session.
    #[error("the connection is closed")]
    Closed,
}

impl McpError {
    /// Returns whether the server may have carried out the call: it received the call, but its answer was lost or
    /// unreadable.
    pub fn may_have_run(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::SignedOut | Self::SignIn { .. } | Self::Handshake { .. } => false,
            Self::ProtocolVersion { .. } | Self::NoTools | Self::Refused { .. } => false,
            Self::TimedOut { step } => *step == Step::Call,
            Self::Exited | Self::TooLarge { .. } | Self::Malformed { .. } | Self::Lost { .. } | Self::Closed => true,
        }
    }

    pub(crate) fn malformed(what: impl Into<String>) -> Self {
        Self::Malformed { what: what.into() }
    }

    pub(crate) fn unreachable(what: impl Into<String>) -> Self {
        Self::Unreachable { what: what.into() }
    }

    pub(crate) fn refused(code: i32, message: &str) -> Self {
        Self::Refused { code, message: said(message) }
    }
}

/// Returns a server's words as one harmless line.
pub(crate) fn said(words: &str) -> String {
    one_line(first_characters(words, 10 * WORDS_MAX), WORDS_MAX)
}

#[cfg(test)]
mod tests {
    use super::{McpError, said};

    #[test]
    fn a_servers_words_are_one_short_line() {
        assert_eq!(said("two\nlines @everyone"), "two lines ＠everyone");
        assert_eq!(said(&"x".repeat(1_000_000)).chars().count(), 200);
        let error = McpError::refused(-32602, "no\u{202e} such\ttool");
        assert_eq!(error.to_string(), "the server refused: no such tool (code -32602)");
    }
}
