//! Claims and intents. Each event is claimed once, so that it runs once even if it is delivered several times. An intent
//! is a run whose caller does not know the outcome yet.

use std::sync::LazyLock;
use std::time::SystemTime;

use super::cooldowns;
use crate::sql::{Connection, Insert, Param, Row};
use crate::tables::abandoned::left_open;
use crate::tables::commands::receipts::code_and_model;
use candor_core::contract::ServiceError;
use candor_core::execution::Begun;
use candor_core::inbound::{EventId, Place, UserId};
use candor_core::language::Language;
use candor_core::record::{CodeName, Origin, ReceiptId};
use candor_engine::executor::{Beginning, Intent, OpenIntent};

pub(super) const FORGET: &str = "DELETE FROM intents WHERE event = $1";

/// Deletes a committed intent. The recovery of interrupted runs closes any other intent, with a receipt.
pub(super) const SHOWN: &str = "DELETE FROM intents WHERE event = $1 AND answer IS NOT NULL";

pub(super) const OPEN: &str = left_open!(
    "intents",
    "begun_ms",
    "event, number, command, arguments, caller, language, place, begun_ms, origin, code, model, confirm, is_outside, \
     reply_to, answer"
);

/// Stores an intent, or updates one that this run stored before.
pub(super) async fn begin(
    connection: &mut dyn Connection,
    intent: Intent,
    lessee: u64,
) -> Result<Beginning, ServiceError> {
    let event = intent.begun.event;
    let number = intent.begun.id.number();
    let started = intent.begun.started;
    let more = "UPDATE intents SET is_outside = $1, reply_to = $2 WHERE event = $3 AND number = $4";
    let more_values: [Param; 4] =
        [i64::from(intent.is_outside).into(), intent.reply_to.clone().into(), event.0.into(), number.into()];
    if connection.execute(more, &more_values).await? == 1 {
        return Ok(Beginning::Begun);
    }
    if !claim(connection, event, started).await? {
        return Ok(Beginning::ClaimedBefore);
    }
    if let Some(wait) = cooldowns::take(connection, event, intent.cooldowns.clone(), started).await? {
        connection.undo();
        return Ok(Beginning::Wait(wait));
    }
    insert(connection, intent, None, lessee).await?;
    Ok(Beginning::Begun)
}

/// Stores an intent of this process, with its answer if it is committed. Does nothing if the event has an intent.
pub(super) async fn insert(
    connection: &mut dyn Connection,
    intent: Intent,
    answer: Option<String>,
    lessee: u64,
) -> Result<(), ServiceError> {
    let Intent { begun, cooldowns: _, is_outside, reply_to } = intent;
    let event = begun.event;
    let number = begun.id.number();
    let intent = "INSERT INTO intents (event, number, command, arguments, caller, language, place, begun_ms, origin, \
                  is_outside, reply_to, answer, lessee, code, model, confirm) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
                  ON CONFLICT (event) DO NOTHING";
    let confirm = begun.model.as_ref().and_then(|call| call.confirm);
    let values: [Param; 16] = [
        event.0.into(),
        number.into(),
        begun.command.into(),
        begun.arguments.into(),
        begun.caller.0.into(),
        begun.language.tag().into(),
        begun.place.key().into(),
        begun.started.into(),
        begun.origin.name().into(),
        i64::from(is_outside).into(),
        reply_to.into(),
        answer.as_deref().into(),
        lessee.into(),
        begun.code.as_ref().map(CodeName::as_str).into(),
        begun.model.as_ref().map(|call| call.model.as_str()).into(),
        confirm.map(|press| press.0).into(),
    ];
    connection.execute(intent, &values).await.map(drop)
}

/// Deletes an intent whose answer the person has. Returns false if it does not exist.
pub(super) async fn end(connection: &mut dyn Connection, event: EventId, id: ReceiptId) -> Result<bool, ServiceError> {
    let ended = "DELETE FROM intents WHERE event = $1 AND number = $2";
    Ok(connection.execute(ended, &[event.0.into(), id.number().into()]).await? == 1)
}

/// Adds the answer to an intent whose person waits for it. Returns false if the intent does not exist or has an answer.
pub(super) async fn end_deferred(
    connection: &mut dyn Connection,
    event: EventId,
    id: ReceiptId,
    answer: String,
) -> Result<bool, ServiceError> {
    let ended = "UPDATE intents SET answer = $1 WHERE event = $2 AND number = $3 AND answer IS NULL";
    Ok(connection.execute(ended, &[answer.into(), event.0.into(), id.number().into()]).await? == 1)
}

pub(super) fn open(event: EventId, mut row: Row) -> Result<OpenIntent, ServiceError> {
    let id = ReceiptId::from_number(row.take()?);
    let command = row.take()?;
    let arguments = row.take()?;
    let caller = UserId(row.take()?);
    let language: String = row.take()?;
    let place: String = row.take()?;
    let started = row.take()?;
    let origin: String = row.take()?;
    let (code, model) = code_and_model(&mut row)?;
    let begun = Begun {
        event,
        id,
        command,
        arguments,
        caller,
        language: Language::of_locale(&language).unwrap_or_default(),
        place: Place::from_key(&place).ok_or_else(|| unreadable("place"))?,
        started,
        origin: Origin::named(&origin).ok_or_else(|| unreadable("origin"))?,
        code,
        model,
    };
    Ok(OpenIntent { begun, is_outside: row.take::<i64>()? != 0, reply_to: row.take()?, answer: row.take()? })
}

fn unreadable(column: &str) -> ServiceError {
    ServiceError::Store(format!("an intent's {column} says nothing this program has ever written"))
}

pub(super) const RELEASE_CLAIM: &str = "DELETE FROM claims WHERE event = $1";

pub(super) async fn claim(
    connection: &mut dyn Connection,
    event: EventId,
    at: SystemTime,
) -> Result<bool, ServiceError> {
    claim_all(connection, [(event, at)]).await
}

static CLAIMS: LazyLock<Insert<2>> = LazyLock::new(|| {
    Insert::new("INSERT INTO claims (event, claimed_ms) VALUES ($1, $2) ON CONFLICT (event) DO NOTHING")
});

/// Claims events. Returns false if one of them was claimed before.
pub(super) async fn claim_all(
    connection: &mut dyn Connection,
    events: impl IntoIterator<Item = (EventId, SystemTime)>,
) -> Result<bool, ServiceError> {
    let rows: Vec<[Param; 2]> = events.into_iter().map(|(event, at)| [event.0.into(), at.into()]).collect();
    Ok(CLAIMS.all(connection, &rows).await? == rows.len() as u64)
}
