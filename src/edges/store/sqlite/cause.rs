//! The meaning of SQLite's error codes.

use rusqlite::ErrorCode;

use crate::edges::store::sql::Cause;
use candor_core::contract::ServiceError;

pub(crate) fn cause(error: &rusqlite::Error) -> Cause {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Cause::Locked,
        Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => Cause::ReadOnly,
        Some(ErrorCode::SystemIoFailure) => Cause::Disk,
        Some(ErrorCode::DatabaseCorrupt) => Cause::Damaged,
        Some(ErrorCode::DiskFull) => Cause::DiskFull,
        Some(ErrorCode::CannotOpen) => Cause::CannotOpen,
        Some(ErrorCode::NotADatabase) => Cause::NotADatabase,
        _ => Cause::Other,
    }
}

/// Returns the error for the store's callers.
pub(crate) fn service_error(error: &rusqlite::Error) -> ServiceError {
    cause(error).told(&error.to_string())
}
