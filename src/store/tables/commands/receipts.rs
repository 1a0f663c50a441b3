//! Receipts as rows.

use std::time::{Duration, SystemTime};

use crate::sql::Row;
use candor_core::contract::ServiceError;
use candor_core::inbound::{EventId, Place, UserId};
use candor_core::record::{CodeName, Digest, Facts, LedgerEntry, ModelCall, Origin, Outcome, ReceiptId, Source};

/// Builds a statement over receipts. The columns that [`entry`] reads follow the given ones.
macro_rules! of_receipts {
    ($before:literal, $behind:literal) => {
        concat!(
            $before,
            "number, command, arguments, caller, place, started_ms, took_us, outcome, origin, source_name, \
             source_as_of_ms, code, model, confirm, digest ",
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
    let (code, model) = code_and_model(&mut row)?;
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
        code,
        model,
    };
    Ok(LedgerEntry { id, facts, has_arguments, digest: digest(row.take()?)? })
}

/// Reads the columns `code`, `model` and `confirm` of a receipt or an intent.
pub(super) fn code_and_model(row: &mut Row) -> Result<(Option<CodeName>, Option<ModelCall>), ServiceError> {
    let code: Option<String> = row.take()?;
    let model: Option<String> = row.take()?;
    let confirm: Option<u64> = row.take()?;
    let code = code.map(|code| CodeName::parse(&code).ok_or_else(|| unreadable("code"))).transpose()?;
    match (model, confirm.map(EventId)) {
        (Some(model), confirm) => Ok((code, Some(ModelCall { model, confirm }))),
        (None, None) => Ok((code, None)),
        (None, Some(_)) => Err(unreadable("confirm")),
    }
}

pub(super) fn digest(bytes: Vec<u8>) -> Result<Digest, ServiceError> {
    bytes.try_into().map(Digest).map_err(|_| unreadable("digest or link"))
}

pub(super) fn unreadable(column: &str) -> ServiceError {
    ServiceError::Store(format!("the ledger's {column} says nothing this program has ever written"))
}
