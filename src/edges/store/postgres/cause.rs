//! The meaning of errors of PostgreSQL and its driver.

use crate::edges::store::sql::Cause;
use candor_core::contract::ServiceError;

/// Returns the cause of an error. The codes are in PostgreSQL's documentation, appendix A.
pub(super) fn cause(error: &sqlx::Error) -> Cause {
    match error {
        sqlx::Error::Database(error) => match error.code().as_deref() {
            Some("53100") => Cause::DiskFull,
            Some("58030") => Cause::Disk,
            Some("25006") => Cause::ReadOnly,
            Some("55P03" | "40P01") => Cause::Locked,
            Some("57014") => Cause::Late,
            Some("53300") => Cause::Crowded,
            Some("57P01" | "57P02" | "57P03") => Cause::Unreachable,
            Some("XX001" | "XX002") => Cause::Damaged,
            _ => Cause::Other,
        },
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) => Cause::Unreachable,
        sqlx::Error::PoolTimedOut => Cause::Late,
        sqlx::Error::PoolClosed => Cause::Closed,
        _ => Cause::Other,
    }
}

/// Returns the error for the store's callers.
pub(super) fn service_error(error: &sqlx::Error) -> ServiceError {
    cause(error).told(&error.to_string())
}
