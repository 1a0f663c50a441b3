//! Messages that modules send to channels.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::database::Database;
use crate::sql::{Connection, Param, Row};
use candor_core::contract::{AllowedBy, ChannelMessage, DueCall, Outbox, Outgoing, ServiceError, Waiting};
use candor_core::inbound::{ChannelId, GuildId, Place, UserId};
use candor_core::record::ReceiptId;
use candor_core::reply::{Field, Reply};
use candor_engine::executor::StagedChange;
use candor_engine::{MessageEnd, MessageOfReceipt, OutboxStore, TakenMessage};

#[derive(Serialize, Deserialize)]
struct Content {
    title: Option<String>,
    text: String,
    fields: Vec<(String, String)>,
    colour: Option<u32>,
    picture: Option<String>,
    /// The guild whose administrators allowed the channel. `None` if the operator did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guild: Option<u64>,
}

/// The lock of every transaction that adds messages. It keeps counts valid.
const LOCK: &str = "outbox";

/// No pause or lease lasts as long. A later time was written while a clock was ahead: the message is tried now, and
/// does not block those behind it.
const AHEAD_MAX: Duration = Duration::from_hours(1);

#[async_trait]
impl Outbox for Database {
    async fn count_waiting(&self, module: &str, channel: ChannelId, person: UserId) -> Result<Waiting, ServiceError> {
        let values = vec![channel.0.into(), person.0.into(), module.into()];
        self.row(WAITING, values).await?.map_or_else(|| Ok(Waiting::default()), |mut row| waiting(&mut row, person))
    }
}

const WAITING: &str = "SELECT count(*), count(CASE WHEN channel = $1 THEN 1 END), \
                       count(CASE WHEN \"user\" = $2 THEN 1 END) \
                       FROM outbox WHERE module = $3 AND next_ms IS NOT NULL";

fn waiting(row: &mut Row, person: UserId) -> Result<Waiting, ServiceError> {
    let count = |n: i64| usize::try_from(n).unwrap_or_default();
    let of_module = count(row.take()?);
    let in_channel = count(row.take()?);
    let of_person = count(row.take()?);
    Ok(Waiting { of_module, in_channel, of_person: if person == UserId::NOBODY { 0 } else { of_person } })
}

/// Stores the staged messages of the run with this receipt.
pub(in crate::tables) async fn insert(
    connection: &mut dyn Connection,
    changes: &[StagedChange],
    receipt: ReceiptId,
    user: UserId,
    at: SystemTime,
) -> Result<(), ServiceError> {
    if changes.iter().all(|change| change.message().is_none()) {
        return Ok(());
    }
    connection.lock(LOCK).await?;
    for outgoing in changes.iter().filter_map(StagedChange::message) {
        let Outgoing { module, channel, .. } = outgoing;
        let values = [channel.0.into(), user.0.into(), module.as_str().into()];
        if let Some(mut row) = connection.row(WAITING, &values).await? {
            waiting(&mut row, user)?.check()?;
        }
        let id = next_id(connection).await?;
        let add = "INSERT INTO outbox (id, module, channel, receipt, \"user\", at_ms, next_ms, tries, content) \
                   VALUES ($1, $2, $3, $4, $5, $6, $6, 0, $7)";
        let values: [Param; 7] = [
            id.into(),
            module.as_str().into(),
            channel.0.into(),
            receipt.number().into(),
            user.0.into(),
            at.into(),
            content(outgoing)?.into(),
        ];
        connection.execute(add, &values).await?;
    }
    Ok(())
}

/// Stores the delivery result of a later call's answer, for `/receipt`. Stores nothing without a receipt. The caller
/// holds the lock of receipts.
pub(super) async fn keep_delivery(
    connection: &mut dyn Connection,
    receipt: ReceiptId,
    due: &DueCall,
    end: MessageEnd,
) -> Result<(), ServiceError> {
    let (Place::Guild { channel, .. } | Place::Direct { channel }) = due.call.place else { return Ok(()) };
    let id = next_id(connection).await?;
    let add = "INSERT INTO outbox (id, module, channel, receipt, \"user\", at_ms, tries, ended) \
               SELECT $1, $2, $3, number, $4, $5, 0, $6 FROM receipts WHERE number = $7";
    let values: [Param; 7] = [
        id.into(),
        due.call.module.as_str().into(),
        channel.0.into(),
        due.call.caller.id.0.into(),
        due.call.due.into(),
        end.name().into(),
        receipt.number().into(),
    ];
    connection.execute(add, &values).await.map(drop)
}

async fn next_id(connection: &mut dyn Connection) -> Result<i64, ServiceError> {
    let next = "INSERT INTO sequences (name, last) VALUES ('outbox', 1) ON CONFLICT (name) \
                DO UPDATE SET last = sequences.last + 1 RETURNING last";
    let id: Option<i64> = connection.value(next, &[]).await?;
    id.ok_or_else(|| ServiceError::Store("no number was given out".to_owned()))
}

#[async_trait]
impl OutboxStore for Database {
    async fn take_message(&self, now: SystemTime, lasts: Duration) -> Result<Option<TakenMessage>, ServiceError> {
        let taken = self.write(move |connection| {
            Box::pin(async move {
                // Messages of a module stay in order within a channel: "it is over" must not arrive before the message
                // it refers to.
                let first = "SELECT id, tries FROM outbox WHERE next_ms IS NOT NULL \
                             AND (next_ms <= $1 OR next_ms > $2) AND NOT EXISTS \
                             (SELECT 1 FROM outbox AS earlier WHERE earlier.channel = outbox.channel \
                             AND earlier.module = outbox.module AND earlier.id < outbox.id \
                             AND earlier.next_ms IS NOT NULL) ORDER BY next_ms, id LIMIT 1";
                let Some(mut first) = connection.row(first, &[now.into(), (now + AHEAD_MAX).into()]).await? else {
                    return Ok(None);
                };
                let id: i64 = first.take()?;
                let tries: i64 = first.take()?;
                // Of two processes, the second finds the row taken and takes nothing this time.
                let take = "UPDATE outbox SET next_ms = $1, tries = tries + 1 WHERE id = $2 AND tries = $3 \
                            AND next_ms IS NOT NULL \
                            RETURNING id, tries, module, channel, receipt, at_ms, content";
                connection.row(take, &[(now + lasts).into(), id.into(), tries.into()]).await
            })
        });
        taken.await?.map(|mut row| taken_message(&mut row)).transpose()
    }

    async fn next_message(&self, now: SystemTime) -> Result<Option<SystemTime>, ServiceError> {
        let next = "SELECT CASE WHEN next_ms > $1 THEN $2 ELSE next_ms END AS due \
                    FROM outbox WHERE next_ms IS NOT NULL AND NOT EXISTS \
                    (SELECT 1 FROM outbox AS earlier WHERE earlier.channel = outbox.channel \
                    AND earlier.module = outbox.module AND earlier.id < outbox.id \
                    AND earlier.next_ms IS NOT NULL) ORDER BY due LIMIT 1";
        self.row(next, vec![(now + AHEAD_MAX).into(), now.into()]).await?.map(|mut row| row.take()).transpose()
    }

    async fn put_off(&self, taken: &TakenMessage, until: SystemTime) -> Result<(), ServiceError> {
        let put_off = "UPDATE outbox SET next_ms = $1 WHERE id = $2 AND tries = $3 AND next_ms IS NOT NULL";
        let values = vec![until.into(), taken.id.into(), i64::from(taken.tries).into()];
        self.execute(put_off, values).await.map(drop)
    }

    async fn message_is_over(&self, taken: &TakenMessage, end: MessageEnd) -> Result<(), ServiceError> {
        let id = taken.id;
        let tries = i64::from(taken.tries);
        let over = self.write(move |connection| {
            Box::pin(async move {
                // Removing receipts takes the same lock, so that none goes between these two statements.
                connection.lock("receipts").await?;
                let over = "UPDATE outbox SET next_ms = NULL, content = NULL, ended = $1 \
                            WHERE id = $2 AND tries = $3";
                connection.execute(over, &[end.name().into(), id.into(), tries.into()]).await?;
                let without_receipt = "DELETE FROM outbox WHERE id = $1 AND next_ms IS NULL \
                                       AND NOT EXISTS (SELECT 1 FROM receipts WHERE number = outbox.receipt)";
                connection.execute(without_receipt, &[id.into()]).await
            })
        });
        over.await.map(drop)
    }
}

impl Database {
    /// Returns the messages that the run with this receipt sent, oldest first.
    pub async fn messages_of(&self, receipt: ReceiptId) -> Result<Vec<MessageOfReceipt>, ServiceError> {
        let all = "SELECT channel, ended FROM outbox WHERE receipt = $1 ORDER BY id";
        let rows = self.rows(all, vec![receipt.number().into()]).await?;
        let message = |mut row: Row| {
            let channel: u64 = row.take()?;
            let ended: Option<String> = row.take()?;
            let end = ended.map(|ended| MessageEnd::named(&ended).unwrap_or(MessageEnd::GivenUp));
            Ok(MessageOfReceipt { channel: ChannelId(channel), end })
        };
        rows.into_iter().map(message).collect()
    }
}

fn content(outgoing: &Outgoing) -> Result<String, ServiceError> {
    let Reply { title, text, fields, colour, picture, .. } = outgoing.message.reply().clone();
    let fields = fields.into_iter().map(|Field { name, value }| (name, value)).collect();
    let guild = match outgoing.allowed_by {
        AllowedBy::Operator => None,
        AllowedBy::Guild(guild) => Some(guild.0),
    };
    serde_json::to_string(&Content { title, text, fields, colour, picture, guild })
        .map_err(|problem| ServiceError::Store(problem.to_string()))
}

fn taken_message(row: &mut Row) -> Result<TakenMessage, ServiceError> {
    let id: i64 = row.take()?;
    let tries: i64 = row.take()?;
    let module: String = row.take()?;
    let channel: u64 = row.take()?;
    let receipt: u64 = row.take()?;
    let at: SystemTime = row.take()?;
    let content: String = row.take()?;
    let Content { title, text, fields, colour, picture, guild } = serde_json::from_str(&content)
        .map_err(|problem| ServiceError::Store(format!("a message is not JSON as it was written: {problem}")))?;
    let fields = fields.into_iter().map(|(name, value)| Field { name, value }).collect();
    let message = ChannelMessage::kept(Reply { title, text, fields, colour, picture, ..Reply::default() });
    let allowed_by = guild.map_or(AllowedBy::Operator, |guild| AllowedBy::Guild(GuildId(guild)));
    Ok(TakenMessage {
        id,
        tries: u32::try_from(tries).unwrap_or(u32::MAX),
        receipt: ReceiptId::from_number(receipt),
        at,
        outgoing: Outgoing { module, channel: ChannelId(channel), allowed_by, message },
    })
}
