//! Errors of a server, as values that a check can tell apart.

use candor_core::text::{first_characters, one_line};

/// The most characters of a server's own words in an error.
const WORDS_MAX: usize = 200;

/// What was asked of a server that did not answer in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The handshake.
    Start,
    /// The list of its tools.
    Tools,
    /// A call of a tool.
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

/// Why a server could not be used. The words of a server in it are one harmless line of at most 200 characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// There is no connection to it, or its HTTP answer is none of MCP.
    #[error("the server cannot be reached: {what}")]
    Unreachable {
        /// What happened.
        what: String,
    },
    /// Nobody has signed in to it, or the sign-in has ended.
    #[error("nobody is signed in to the server, or no longer")]
    SignedOut,
    /// Signing in, or renewing a token, failed.
    #[error("signing in to the server failed: {what}")]
    SignIn {
        /// What happened.
        what: String,
    },
    /// Its output ended.
    #[error("the server ended")]
    Exited,
    /// It answered the handshake, but not as MCP has it.
    #[error("the handshake failed: {what}")]
    Handshake {
        /// What was wrong.
        what: String,
    },
    /// No version of MCP is spoken by both.
    #[error("the server speaks MCP {theirs}, and not one of {ours}")]
    ProtocolVersion {
        /// What the server named.
        theirs: String,
        /// What this client speaks.
        ours: String,
    },
    /// It does not say in the handshake that it has tools.
    #[error("the server has no tools")]
    NoTools,
    /// It did not answer in time.
    #[error("the server did not answer {step} in time")]
    TimedOut {
        /// What it was asked.
        step: Step,
    },
    /// What it said is larger than what is read.
    #[error("{what} is larger than {max}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The bound, with its unit.
        max: String,
    },
    /// What it said is not MCP.
    #[error("the server broke the protocol: {what}")]
    Malformed {
        /// What was wrong, and where.
        what: String,
    },
    /// It got the request, and the connection broke before its answer was there.
    #[error("the answer was lost: {what}")]
    Lost {
        /// What happened.
        what: String,
    },
    /// It answered with an error of JSON-RPC.
    #[error("the server refused: {message} (code {code})")]
    Refused {
        /// The code of JSON-RPC.
        code: i32,
        /// Its words.
        message: String,
    },
    /// This side closed the connection, or the server ended the session.
    #[error("the connection is closed")]
    Closed,
}

impl McpError {
    /// Whether a call that ended with this may have been carried out: the server got it, and its answer did not arrive
    /// or cannot be read.
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

/// A server's words, as one harmless line.
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
