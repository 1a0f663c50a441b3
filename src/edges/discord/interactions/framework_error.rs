//! Names poise's errors for the log.

use poise::FrameworkError;

use crate::edges::discord::shared::{Never, Shared};

/// The kind of a poise error. Its text may hold tokens.
pub(crate) fn name_of(problem: &FrameworkError<'_, Shared, Never>) -> &'static str {
    match problem {
        FrameworkError::CommandPanic { .. } => "panic",
        FrameworkError::CommandCheckFailed { .. } => "check",
        FrameworkError::CooldownHit { .. } => "cooldown",
        FrameworkError::MissingBotPermissions { .. } | FrameworkError::MissingUserPermissions { .. } => "permissions",
        FrameworkError::PermissionFetchFailed { .. } => "permission-fetch",
        _ => "other",
    }
}
