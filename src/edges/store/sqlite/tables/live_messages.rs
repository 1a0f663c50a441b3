//! Live messages, at most one for each channel.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, query};

use crate::edges::store::sqlite::Sqlite;
use crate::edges::store::sqlite::cause::service_error;
use crate::edges::store::sqlite::columns::{id, id_column, time, time_column};
use crate::host::{LiveMessage, LiveMessages};
use candor_core::contract::ServiceError;
use candor_core::inbound::{
    Asked, Caller, CommandType, EventId, Interaction, Member, Permissions, Place, RoleId, UserId,
};
use candor_core::language::Language;

/// A member as they were when they asked.
#[derive(Serialize, Deserialize)]
struct KeptMember {
    roles: Vec<u64>,
    permissions: Option<u64>,
}

#[async_trait]
impl LiveMessages for Sqlite {
    async fn remember(&self, live: &LiveMessage) -> Result<(), ServiceError> {
        let Interaction { id, caller, place, path, arguments, sent, .. } = &live.interaction;
        let member = caller.member.as_ref().map(|member| KeptMember {
            roles: member.roles.iter().map(|role| role.0).collect(),
            permissions: member.permissions.map(|permissions| permissions.0),
        });
        let member = member.map(|member| json(&member)).transpose()?;
        let kept = query(
            "INSERT OR REPLACE INTO live_messages \
             (channel, message, place, event, user, language, member, path, arguments, sent_ms) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        );
        let kept = kept.bind(channel_column(*place)).bind(id_column(live.message)).bind(place.key());
        let kept = kept.bind(id_column(id.0)).bind(id_column(caller.id.0)).bind(caller.language.tag()).bind(member);
        self.write(kept.bind(json(path)?).bind(json(arguments)?).bind(time_column(*sent))).await.map(drop)
    }

    async fn remembered(&self) -> Result<Vec<LiveMessage>, ServiceError> {
        let rows = query("SELECT * FROM live_messages ORDER BY channel").fetch_all(&self.readers).await;
        rows.map_err(service_error)?.iter().map(live).collect()
    }

    async fn forget(&self, live: &LiveMessage) -> Result<(), ServiceError> {
        let over = query("DELETE FROM live_messages WHERE channel = ? AND message = ?");
        self.write(over.bind(channel_column(live.interaction.place)).bind(id_column(live.message))).await.map(drop)
    }
}

fn channel_column(place: Place) -> i64 {
    match place {
        Place::Guild { channel, .. } | Place::Direct { channel } => id_column(channel.0),
        Place::Console => 0,
    }
}

fn live(row: &SqliteRow) -> Result<LiveMessage, ServiceError> {
    let number = |column| row.try_get::<i64, _>(column).map_err(service_error);
    let text = |column| row.try_get::<String, _>(column).map_err(service_error);
    let member: Option<String> = row.try_get("member").map_err(service_error)?;
    let member: Option<KeptMember> = member.as_deref().map(parse).transpose()?;
    let member = member.map(|member| Member {
        roles: member.roles.into_iter().map(RoleId).collect(),
        permissions: member.permissions.map(Permissions),
    });
    let place = text("place")?;
    let place = Place::from_key(&place).ok_or_else(|| ServiceError::Store("a place is not one".to_owned()))?;
    let language = Language::of_locale(&text("language")?).unwrap_or_default();
    let caller = Caller { language, member, ..Caller::new(UserId(id(number("user")?)), "") };
    let interaction = Interaction {
        asked: Asked::Picked,
        command_type: CommandType::Slash,
        id: EventId(id(number("event")?)),
        caller,
        place,
        path: parse(&text("path")?)?,
        arguments: parse(&text("arguments")?)?,
        target: None,
        sent: time(number("sent_ms")?),
    };
    Ok(LiveMessage { message: id(number("message")?), interaction })
}

fn json(value: &impl Serialize) -> Result<String, ServiceError> {
    serde_json::to_string(value).map_err(|problem| ServiceError::Store(problem.to_string()))
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ServiceError> {
    serde_json::from_str(text)
        .map_err(|problem| ServiceError::Store(format!("what a live message was asked with is not JSON: {problem}")))
}
