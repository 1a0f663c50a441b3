//! Later calls that modules requested.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::database::Database;
use crate::sql::{Connection, Param, Row};
use crate::tables::queues::outbox::keep_delivery;
use candor_core::contract::{CallChange, DUE_CALLS_MAX, DueCall, DueCallId, DueCalls, LaterCall, ServiceError};
use candor_core::inbound::{Caller, CommandPath, CommandType, Member, Permissions, Place, RoleId, UserId};
use candor_core::language::Language;
use candor_core::record::ReceiptId;
use candor_engine::executor::StagedChange;
use candor_engine::{DueAnswer, DueStore, DueTry, MessageEnd, TakenCall};

const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// The command, and its caller at the time of the request.
#[derive(Serialize, Deserialize)]
struct Asked {
    command: Vec<String>,
    arguments: Map<String, Json>,
    language: String,
    member: Option<AskedMember>,
}

#[derive(Serialize, Deserialize)]
struct AskedMember {
    roles: Vec<u64>,
    permissions: Option<u64>,
}

#[async_trait]
impl DueCalls for Database {
    async fn reserve_call(&self, call: &LaterCall, limit: usize) -> Result<DueCallId, ServiceError> {
        let call = call.clone();
        self.write(move |connection| {
            Box::pin(async move {
                check_room(connection, &call, limit).await?;
                next_id(connection).await
            })
        })
        .await
    }

    async fn call_later(&self, call: &LaterCall) -> Result<DueCallId, ServiceError> {
        let call = call.clone();
        self.write(move |connection| {
            Box::pin(async move {
                connection.lock(LOCK).await?;
                let id = next_id(connection).await?;
                insert(connection, id, &call).await?;
                Ok(id)
            })
        })
        .await
    }

    async fn waiting(&self, module: &str, scope: &str, user: UserId) -> Result<Vec<DueCall>, ServiceError> {
        let all = "SELECT id, tries, module, \"user\", place, due_ms, asked, receipt FROM due_calls \
                   WHERE \"user\" = $1 AND module = $2 AND scope = $3 ORDER BY due_ms, id";
        let rows = self.rows(all, vec![user.0.into(), module.into(), scope.into()]).await?;
        rows.into_iter().map(|mut row| due_call(&mut row).map(|(due, _)| due)).collect()
    }

    async fn cancel(&self, module: &str, scope: &str, user: UserId, id: DueCallId) -> Result<bool, ServiceError> {
        Ok(self.execute(CANCEL, vec![id.into(), user.0.into(), module.into(), scope.into()]).await? == 1)
    }
}

const CANCEL: &str = "DELETE FROM due_calls WHERE id = $1 AND \"user\" = $2 AND module = $3 AND scope = $4";

/// The lock of every transaction that adds calls or removes several. It keeps counts valid and avoids deadlocks.
const LOCK: &str = "due_calls";

/// Applies the staged changes of later calls. Returns false if a call to be removed was made or no longer exists; the
/// caller must then undo the earlier changes.
pub(in crate::tables) async fn change(
    connection: &mut dyn Connection,
    changes: &[StagedChange],
) -> Result<bool, ServiceError> {
    if changes.iter().all(|change| change.call().is_none()) {
        return Ok(true);
    }
    connection.lock(LOCK).await?;
    // Removals come first, to make room for additions.
    for change in changes {
        if let Some(CallChange::Cancel { module, scope, user, id }) = change.call() {
            let values = [(*id).into(), user.0.into(), module.as_str().into(), scope.as_str().into()];
            if connection.execute(CANCEL, &values).await? == 0 {
                return Ok(false);
            }
        }
    }
    for change in changes {
        if let Some(CallChange::Add { id, call }) = change.call() {
            insert(connection, *id, call).await?;
        }
    }
    Ok(true)
}

pub(in crate::tables) async fn erase(connection: &mut dyn Connection, user: UserId) -> Result<u64, ServiceError> {
    connection.lock(LOCK).await?;
    connection.execute("DELETE FROM due_calls WHERE \"user\" = $1", &[user.0.into()]).await
}

/// Stores a call under its number, unless its person has the maximum. The caller holds the [`LOCK`].
async fn insert(connection: &mut dyn Connection, id: DueCallId, call: &LaterCall) -> Result<(), ServiceError> {
    let member = call.caller.member.as_ref().map(|member| AskedMember {
        roles: member.roles.iter().map(|role| role.0).collect(),
        permissions: member.permissions.map(|permissions| permissions.0),
    });
    let asked = Asked {
        command: call.path.names().map(str::to_owned).collect(),
        arguments: call.arguments.clone(),
        language: call.caller.language.tag().to_owned(),
        member,
    };
    let asked = serde_json::to_string(&asked).map_err(|problem| ServiceError::Store(problem.to_string()))?;
    check_room(connection, call, DUE_CALLS_MAX).await?;
    let user: Param = call.caller.id.0.into();
    let module: Param = call.module.as_str().into();
    let add = "INSERT INTO due_calls (id, module, scope, \"user\", place, due_ms, next_ms, tries, asked) \
               VALUES ($1, $2, $3, $4, $5, $6, $6, 0, $7)";
    let scope: Param = call.place.scope().into();
    let place: Param = call.place.key().into();
    connection.execute(add, &[id.into(), module, scope, user, place, call.due.into(), asked.into()]).await.map(drop)
}

/// Fails if the maximum number of calls that count with this one is waiting: see [`LaterCall::counts_with`].
async fn check_room(connection: &mut dyn Connection, call: &LaterCall, limit: usize) -> Result<(), ServiceError> {
    let user: Param = call.caller.id.0.into();
    let module: Param = call.module.as_str().into();
    let waiting: Option<i64> = match call.is_of_guild() {
        true => {
            let of_guild = "SELECT count(*) FROM due_calls WHERE \"user\" = $1 AND module = $2 AND scope = $3";
            connection.value(of_guild, &[user, module, call.place.scope().into()]).await?
        }
        false => {
            let of_person = "SELECT count(*) FROM due_calls WHERE \"user\" = $1 AND module = $2";
            connection.value(of_person, &[user, module]).await?
        }
    };
    let waiting = waiting.unwrap_or_default();
    if usize::try_from(waiting).is_ok_and(|waiting| limit <= waiting) {
        return Err(ServiceError::Full(format!(
            "{waiting} later calls of one person or guild wait, which is the most"
        )));
    }
    Ok(())
}

async fn next_id(connection: &mut dyn Connection) -> Result<DueCallId, ServiceError> {
    let next = "INSERT INTO sequences (name, last) VALUES ('due_calls', 1) ON CONFLICT (name) \
                DO UPDATE SET last = sequences.last + 1 RETURNING last";
    let id: Option<i64> = connection.value(next, &[]).await?;
    id.ok_or_else(|| ServiceError::Store("no number was given out".to_owned()))
}

#[async_trait]
impl DueStore for Database {
    async fn take_due(&self, now: SystemTime, lasts: Duration) -> Result<Option<TakenCall>, ServiceError> {
        let taken = self.write(move |connection| {
            Box::pin(async move {
                let first = "SELECT id, tries FROM due_calls WHERE next_ms <= $1 ORDER BY next_ms, id LIMIT 1";
                let Some(mut first) = connection.row(first, &[now.into()]).await? else { return Ok(None) };
                let id: i64 = first.take()?;
                let tries: i64 = first.take()?;
                // Of two processes, the second finds the row taken and takes nothing this time.
                let take = "UPDATE due_calls SET next_ms = $1, tries = tries + 1 WHERE id = $2 AND tries = $3 \
                            RETURNING id, tries, module, \"user\", place, due_ms, asked, receipt, \
                            (SELECT content FROM kept_answers WHERE number = due_calls.receipt), refusals";
                let next = now + next_try(lasts, tries);
                connection.row(take, &[next.into(), id.into(), tries.into()]).await
            })
        });
        let Some(mut row) = taken.await? else { return Ok(None) };
        let (due, receipt) = due_call(&mut row)?;
        let text = row.take()?;
        let refusals = row.take::<i64>()?;
        let ran = receipt.map(|number| DueAnswer { receipt: ReceiptId::from_number(number), text });
        Ok(Some(TakenCall { due, ran, refusals: u32::try_from(refusals).unwrap_or(u32::MAX) }))
    }

    async fn next_due(&self) -> Result<Option<SystemTime>, ServiceError> {
        let next = "SELECT next_ms FROM due_calls ORDER BY next_ms LIMIT 1";
        self.row(next, Vec::new()).await?.map(|mut row| row.take()).transpose()
    }

    async fn due_again(&self, id: DueCallId, at: SystemTime) -> Result<(), ServiceError> {
        self.write(move |connection| Box::pin(put_off(connection, id, at))).await
    }

    async fn due_is_tried_again(&self, id: DueCallId, at: SystemTime, how: DueTry) -> Result<(), ServiceError> {
        let again = "UPDATE due_calls SET next_ms = $1, tries = tries - $2, refusals = refusals + $3 WHERE id = $4";
        let held_back = i64::from(how == DueTry::HeldBack);
        let refused = i64::from(how == DueTry::Refused);
        self.execute(again, vec![at.into(), held_back.into(), refused.into(), id.into()]).await.map(drop)
    }

    async fn due_is_over(&self, due: &DueCall, end: Option<MessageEnd>) -> Result<(), ServiceError> {
        let due = due.clone();
        self.write(move |connection| {
            Box::pin(async move {
                // Removing receipts takes the same lock, so that none goes between the read and the insert.
                connection.lock("receipts").await?;
                let gone = "DELETE FROM due_calls WHERE id = $1 RETURNING receipt";
                let receipt: Option<Option<u64>> = connection.value(gone, &[due.id.into()]).await?;
                let (Some(receipt), Some(end)) = (receipt.flatten(), end) else { return Ok(()) };
                keep_delivery(connection, ReceiptId::from_number(receipt), &due, end).await?;
                if end.is_shown() {
                    let answer = "DELETE FROM kept_answers WHERE number = $1";
                    connection.execute(answer, &[receipt.into()]).await?;
                }
                Ok(())
            })
        })
        .await
    }
}

/// Stores a call's receipt, so that the call is not made again. Returns false if its person took it back meanwhile.
pub(in crate::tables) async fn was_made(
    connection: &mut dyn Connection,
    id: DueCallId,
    receipt: ReceiptId,
) -> Result<bool, ServiceError> {
    let made = "UPDATE due_calls SET receipt = $1 WHERE id = $2 AND receipt IS NULL";
    Ok(connection.execute(made, &[receipt.number().into(), id.into()]).await? == 1)
}

/// Moves a call that found nothing to do to another time, as if it had not been tried.
pub(in crate::tables) async fn put_off(
    connection: &mut dyn Connection,
    id: DueCallId,
    until: SystemTime,
) -> Result<(), ServiceError> {
    let put_off = "UPDATE due_calls SET due_ms = $1, next_ms = $1, tries = 0 WHERE id = $2 AND receipt IS NULL";
    connection.execute(put_off, &[until.into(), id.into()]).await.map(drop)
}

/// Returns the pause after a try: `first`, doubled by each earlier try, and at most an hour.
fn next_try(first: Duration, tries: i64) -> Duration {
    let doubled = 2_u32.saturating_pow(u32::try_from(tries).unwrap_or_default());
    first.saturating_mul(doubled).min(LONGEST_PAUSE.max(first))
}

/// Reads a call, and the receipt of its run, from a row.
fn due_call(row: &mut Row) -> Result<(DueCall, Option<u64>), ServiceError> {
    let id: i64 = row.take()?;
    let tries: i64 = row.take()?;
    let module: String = row.take()?;
    let user = UserId(row.take()?);
    let place = Place::from_key(&row.take::<String>()?);
    let place = place.ok_or_else(|| ServiceError::Store("a place is not one".to_owned()))?;
    let due: SystemTime = row.take()?;
    let asked: String = row.take()?;
    let asked: Asked = serde_json::from_str(&asked)
        .map_err(|problem| ServiceError::Store(format!("a later call is not JSON as it was written: {problem}")))?;
    let language = Language::of_locale(&asked.language).unwrap_or_default();
    let member = asked.member.map(|member| Member {
        roles: member.roles.into_iter().map(RoleId).collect(),
        permissions: member.permissions.map(Permissions),
    });
    let names: Vec<_> = asked.command.iter().map(String::as_str).collect();
    let call = LaterCall {
        module,
        caller: Caller { language, member, ..Caller::new(user, "") },
        place,
        path: CommandPath::at(CommandType::Slash, &names),
        arguments: asked.arguments,
        due,
    };
    let receipt: Option<u64> = row.take()?;
    let due = DueCall { id, tries: u32::try_from(tries).unwrap_or(u32::MAX), is_made: receipt.is_some(), call };
    Ok((due, receipt))
}
