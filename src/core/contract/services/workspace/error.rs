//! Errors of workspaces.

use crate::contract::services::workspace::path::PathProblem;
use crate::contract::services::workspace::refusal::WorkspaceRefusal;

/// Why a workspace operation failed.
///
/// Not an `Error`, so that `?` in a handler keeps the two audiences apart.
#[derive(Debug)]
pub enum WorkspaceError {
    /// For the caller of a command.
    Refused(WorkspaceRefusal),
    /// For the log.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

/// Why an operation in a handler's own workspace failed: a text for the caller in their language, or an error for the
/// log.
#[derive(Debug)]
pub enum NotDone {
    /// A plain sentence for the caller of the command.
    Told(String),
    /// For the log.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl From<WorkspaceRefusal> for WorkspaceError {
    fn from(refusal: WorkspaceRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<PathProblem> for WorkspaceError {
    fn from(problem: PathProblem) -> Self {
        Self::Refused(problem.into())
    }
}

impl From<std::io::Error> for WorkspaceError {
    fn from(problem: std::io::Error) -> Self {
        Self::Internal(Box::new(problem))
    }
}
