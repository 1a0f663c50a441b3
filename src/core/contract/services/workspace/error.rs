//! Errors of workspaces.

/// Why a workspace operation failed.
///
/// Not an `Error`, so that `?` in a handler keeps the two audiences apart.
#[derive(Debug)]
pub enum WorkspaceError {
    /// Shown to the caller as it stands: a plain sentence.
    Refused(String),
    /// For the log.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl WorkspaceError {
    /// A refusal, shown to the caller.
    pub fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }
}

impl From<std::io::Error> for WorkspaceError {
    fn from(problem: std::io::Error) -> Self {
        Self::Internal(Box::new(problem))
    }
}
