//! Prints results, and turns errors of the store into failures.

use std::io::Write as _;

use crate::app::Failure;
use candor_core::contract::ServiceError;

pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|problem| Failure::unavailable(format!("cannot write the receipts: {problem}")))
}

pub(super) fn failed(problem: ServiceError) -> Failure {
    Failure::unavailable(problem.to_string())
}
