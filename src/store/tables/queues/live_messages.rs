//! Live messages, at most one for each channel.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::database::Database;
use crate::sql::Row;
use candor_core::contract::ServiceError;
use candor_core::inbound::{
    CallMethod, Caller, CommandType, EventId, Interaction, Member, Permissions, Place, RoleId, UserId,
};
use candor_core::language::Language;
use candor_engine::{LiveMessage, LiveMessages};

/// A member at the time of the request.
#[derive(Serialize, Deserialize)]
struct KeptMember {
    roles: Vec<u64>,
    permissions: Option<u64>,
}

#[async_trait]
impl LiveMessages for Database {
    async fn remember(&self, live: &LiveMessage) -> Result<(), ServiceError> {
        let Interaction { id, caller, place, path, arguments, sent, .. } = &live.interaction;
        let member = caller.member.as_ref().map(|member| KeptMember {
            roles: member.roles.iter().map(|role| role.0).collect(),
            permissions: member.permissions.map(|permissions| permissions.0),
        });
        let member = member.map(|member| json(&member)).transpose()?;
        let kept = "INSERT INTO live_messages \
                    (channel, message, place, event, \"user\", language, member, path, arguments, sent_ms) \
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (channel) DO UPDATE SET \
                    message = excluded.message, place = excluded.place, event = excluded.event, \
                    \"user\" = excluded.\"user\", language = excluded.language, member = excluded.member, \
                    path = excluded.path, arguments = excluded.arguments, sent_ms = excluded.sent_ms";
        let values = vec![
            channel(*place).into(),
            live.message.into(),
            place.key().into(),
            id.0.into(),
            caller.id.0.into(),
            caller.language.tag().into(),
            member.as_deref().into(),
            json(path)?.into(),
            json(arguments)?.into(),
            (*sent).into(),
        ];
        self.execute(kept, values).await.map(drop)
    }

    async fn remembered(&self) -> Result<Vec<LiveMessage>, ServiceError> {
        let all = "SELECT message, place, event, \"user\", language, member, path, arguments, sent_ms \
                   FROM live_messages ORDER BY channel";
        self.rows(all, Vec::new()).await?.into_iter().map(live).collect()
    }

    async fn forget(&self, live: &LiveMessage) -> Result<(), ServiceError> {
        let over = "DELETE FROM live_messages WHERE channel = $1 AND message = $2";
        self.execute(over, vec![channel(live.interaction.place).into(), live.message.into()]).await.map(drop)
    }
}

fn channel(place: Place) -> u64 {
    match place {
        Place::Guild { channel, .. } | Place::Direct { channel } => channel.0,
        Place::Console => 0,
    }
}

fn live(mut row: Row) -> Result<LiveMessage, ServiceError> {
    let message: u64 = row.take()?;
    let place: String = row.take()?;
    let place = Place::from_key(&place).ok_or_else(|| ServiceError::Store("a place is not one".to_owned()))?;
    let id = EventId(row.take()?);
    let user = UserId(row.take()?);
    let language = Language::of_locale(&row.take::<String>()?).unwrap_or_default();
    let member: Option<String> = row.take()?;
    let member: Option<KeptMember> = member.as_deref().map(parse).transpose()?;
    let member = member.map(|member| Member {
        roles: member.roles.into_iter().map(RoleId).collect(),
        permissions: member.permissions.map(Permissions),
    });
    let interaction = Interaction {
        // A refresh does not ask Discord, so that only the stored permissions count.
        method: CallMethod::Pressed,
        command_type: CommandType::Slash,
        id,
        caller: Caller { language, member, ..Caller::new(user, "") },
        place,
        path: parse(&row.take::<String>()?)?,
        arguments: parse(&row.take::<String>()?)?,
        target: None,
        sent: row.take()?,
    };
    Ok(LiveMessage { message, interaction })
}

fn json(value: &impl Serialize) -> Result<String, ServiceError> {
    serde_json::to_string(value).map_err(|problem| ServiceError::Store(problem.to_string()))
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ServiceError> {
    serde_json::from_str(text)
        .map_err(|problem| ServiceError::Store(format!("what a live message was asked with is not JSON: {problem}")))
}
