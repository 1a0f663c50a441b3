//! Appends receipts to the chain, and signs its new end.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use crate::signing::{NewHead, Signer};
use crate::sql::{Connection, Insert};
use crate::tables::commands::receipts::digest;
use crate::tables::queues::places::note_use;
use crate::tables::secrets::random;
use candor_core::contract::ServiceError;
use candor_core::record::{CodeName, Digest, Origin, Receipt, answer_digest, arguments_digest, microseconds};

/// Length of the random bytes stored with a receipt's arguments, so that the digests of arguments and answer cannot be
/// guessed.
const SALT_LENGTH: usize = 16;

/// Appends a receipt to the chain. Returns the new head if the chain is signed.
pub(super) async fn append(
    connection: &mut dyn Connection,
    receipt: &Receipt,
    signer: Option<Arc<Signer>>,
) -> Result<Option<NewHead>, ServiceError> {
    append_all(connection, [receipt], signer).await
}

static RECEIPTS: LazyLock<Insert<18>> = LazyLock::new(|| {
    Insert::new(
        "INSERT INTO receipts (number, command, arguments, arguments_salt, arguments_digest, caller, place, started_ms, \
         took_us, outcome, origin, source_name, source_as_of_ms, digest, link, code, model, confirm) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
    )
});

/// Appends receipts to the chain, in this order. Returns the new head if the chain is signed.
pub(super) async fn append_all<'a>(
    connection: &mut dyn Connection,
    receipts: impl IntoIterator<Item = &'a Receipt>,
    signer: Option<Arc<Signer>>,
) -> Result<Option<NewHead>, ServiceError> {
    connection.lock("receipts").await?;
    let last = connection.value("SELECT link FROM receipts ORDER BY position DESC LIMIT 1", &[]).await?;
    let before = last.map_or(Ok(Digest::START), digest)?;
    let mut previous = before;
    let mut rows = Vec::new();
    let mut uses = BTreeMap::new();
    for receipt in receipts {
        let salt = random::<SALT_LENGTH>()?;
        let facts = receipt.facts();
        let source = facts.source.as_ref();
        let model = facts.model.as_ref();
        let arguments = arguments_digest(&salt, &facts.arguments);
        let answer = answer_digest(&salt, receipt.digest());
        previous = receipt.link(previous, arguments, answer);
        let place = facts.place.key();
        rows.push([
            receipt.id().number().into(),
            facts.command.as_str().into(),
            facts.arguments.as_str().into(),
            salt[..].into(),
            arguments.0[..].into(),
            facts.caller.0.into(),
            place.as_str().into(),
            facts.started.into(),
            microseconds(facts.took).into(),
            facts.outcome.name().into(),
            facts.origin.name().into(),
            source.map(|source| source.name.as_str()).into(),
            source.and_then(|source| source.as_of).into(),
            answer.0[..].into(),
            previous.0[..].into(),
            facts.code.as_ref().map(CodeName::as_str).into(),
            model.map(|call| call.model.as_str()).into(),
            model.and_then(|call| call.confirm).map(|press| press.0).into(),
        ]);
        // A refresh belongs to a command that was called there before.
        if facts.origin != Origin::Refresh {
            uses.insert((place, facts.caller), facts.started);
        }
    }
    RECEIPTS.all(connection, &rows).await?;
    for ((place, user), at) in uses {
        note_use(connection, &place, user, at).await?;
    }
    match signer {
        Some(signer) => signer.sign(connection, rows.len(), Some(before)).await,
        None => Ok(None),
    }
}
