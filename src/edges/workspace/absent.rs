//! Treats a missing file as `None` rather than as an error.

use std::io::{self, ErrorKind};

pub(super) fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}
