//! Receipts as rows.

use std::time::{Duration, SystemTime};

use crate::sql::Row;
use candor_core::contract::ServiceError;
use candor_core::inbound::{Place, UserId};
use candor_core::record::{Digest, Facts, LedgerEntry, Origin, Outcome, ReceiptId, Source};

/// Builds a statement over receipts. The columns that [`entry`] reads follow the given ones.
macro_rules! of_receipts {
    ($before:literal, $behind:literal) => {
        concat!(
            $before,
            "number, command, arguments, caller, place, started_ms, took_us, outcome, origin, source_name, \
             source_as_of_ms, digest ",
            $behind
        )
    };
}
pub(super) use of_receipts;

pub(super) fn entry(mut row: Row) -> Result<LedgerEntry, ServiceError> {
    let id = ReceiptId::from_number(row.take()?);
    let command = row.take()?;
    let arguments = row.take::<Option<String>>()?;
    let caller = UserId(row.take()?);
    let place: String = row.take()?;
    let started: SystemTime = row.take()?;
    let took: i64 = row.take()?;
    let outcome: String = row.take()?;
    let origin: String = row.take()?;
    let source_name: Option<String> = row.take()?;
    let as_of: Option<SystemTime> = row.take()?;
    let has_arguments = arguments.is_some();
    let facts = Facts {
        command,
        arguments: arguments.unwrap_or_default(),
        caller,
        place: Place::from_key(&place).ok_or_else(|| unreadable("place"))?,
        started,
        took: Duration::from_micros(u64::try_from(took).map_err(|_| unreadable("took_us"))?),
        origin: Origin::named(&origin).ok_or_else(|| unreadable("origin"))?,
        outcome: Outcome::named(&outcome).ok_or_else(|| unreadable("outcome"))?,
        source: source_name.map(|name| Source { name, as_of }),
    };
    Ok(LedgerEntry { id, facts, has_arguments, digest: digest(row.take()?)? })
}

pub(super) fn digest(bytes: Vec<u8>) -> Result<Digest, ServiceError> {
    bytes.try_into().map(Digest).map_err(|_| unreadable("digest or link"))
}

pub(super) fn unreadable(column: &str) -> ServiceError {
    ServiceError::Store(format!("the ledger's {column} says nothing this program has ever written"))
}
