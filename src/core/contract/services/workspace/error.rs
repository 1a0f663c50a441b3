//! Why a workspace does not do what it was asked.

/// Why a workspace did not do what was asked.
///
/// Not an `Error`, so that `?` in a handler takes each audience's part to that audience.
#[derive(Debug)]
pub enum WorkspaceError {
    /// For the person, as it stands: a plain sentence.
    Refused(String),
    /// For the log.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl WorkspaceError {
    /// A refusal in words for the person.
    pub fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }
}

impl From<std::io::Error> for WorkspaceError {
    fn from(problem: std::io::Error) -> Self {
        Self::Internal(Box::new(problem))
    }
}
