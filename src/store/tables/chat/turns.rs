//! The records of chat turns.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::database::Database;
use crate::sql::{Param, Row};
use crate::tables::chat::conversations::is_under_way;
use candor_core::agent::{ConversationKey, Generation, Turns};
use candor_core::contract::ServiceError;
use candor_core::inbound::{Place, UserId};
use candor_core::record::{KeptTurn, ReplyButton, TurnId, TurnRecord};

#[async_trait]
impl Turns for Database {
    async fn keep(
        &self,
        user: UserId,
        place: Place,
        generation: Generation,
        at: SystemTime,
        record: &TurnRecord,
    ) -> Result<Option<TurnId>, ServiceError> {
        let key = ConversationKey::new(place, user);
        let values = [user.0.into(), place.key().into(), at.into(), text_of(record)?.into()];
        self.write(move |connection| {
            Box::pin(async move {
                if !is_under_way(connection, &key, generation, at).await? {
                    return Ok(None);
                }
                let turn = "INSERT INTO turns (\"user\", place, at_ms, record) VALUES ($1, $2, $3, $4) \
                                RETURNING number";
                let number: Option<u64> = connection.value(turn, &values).await?;
                number.map(|number| Some(TurnId(number))).ok_or_else(no_number)
            })
        })
        .await
    }

    async fn shown(&self, turn: TurnId, messages: &[u64]) -> Result<(), ServiceError> {
        let messages = messages.to_vec();
        self.write(move |connection| {
            Box::pin(async move {
                for message in messages {
                    // Discord never reuses a message id, so the turn of a message never changes.
                    let shown = "INSERT INTO turn_messages (message, turn) VALUES ($1, $2) \
                                 ON CONFLICT (message) DO NOTHING";
                    connection.execute(shown, &[message.into(), turn.0.into()]).await?;
                }
                Ok(())
            })
        })
        .await
    }

    async fn turn(&self, id: TurnId) -> Result<Option<KeptTurn>, ServiceError> {
        let turn = "SELECT number, \"user\", place, at_ms, record FROM turns WHERE number = $1";
        self.row(turn, vec![id.0.into()]).await?.map(kept).transpose()
    }

    async fn turn_of_message(&self, message: u64) -> Result<Option<KeptTurn>, ServiceError> {
        let turn = "SELECT number, \"user\", place, at_ms, record FROM turns \
                    WHERE number = (SELECT turn FROM turn_messages WHERE message = $1)";
        self.row(turn, vec![message.into()]).await?.map(kept).transpose()
    }

    async fn turns_of_messages(&self, messages: &[u64]) -> Result<Vec<KeptTurn>, ServiceError> {
        let turns = match self.is_on_a_server() {
            false => {
                "SELECT number, \"user\", place, at_ms, record FROM turns WHERE number IN \
                 (SELECT turn FROM turn_messages WHERE message IN (SELECT value FROM json_each($1)))"
            }
            true => {
                "SELECT number, \"user\", place, at_ms, record FROM turns WHERE number IN \
                 (SELECT turn FROM turn_messages WHERE message IN \
                 (SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST($1 AS JSON)) AS listed (id)))"
            }
        };
        let rows = self.rows(turns, vec![Param::listed(messages)]).await?;
        Ok(rows.into_iter().filter_map(|row| kept(row).ok()).collect())
    }

    async fn messages_of(&self, turn: TurnId) -> Result<Vec<u64>, ServiceError> {
        let messages = "SELECT message FROM turn_messages WHERE turn = $1 ORDER BY message";
        self.rows(messages, vec![turn.0.into()]).await?.into_iter().map(|mut row| row.take()).collect()
    }

    async fn last_turn(&self, user: UserId, place: Place) -> Result<Option<KeptTurn>, ServiceError> {
        let last = "SELECT number, \"user\", place, at_ms, record FROM turns \
                    WHERE \"user\" = $1 AND place = $2 ORDER BY number DESC LIMIT 1";
        self.row(last, vec![user.0.into(), place.key().into()]).await?.map(kept).transpose()
    }

    async fn turns_after(
        &self,
        turn: TurnId,
        user: Option<UserId>,
        place: Place,
        limit: usize,
    ) -> Result<Vec<KeptTurn>, ServiceError> {
        let values = [place.key().into(), turn.0.into()].into_iter().chain(user.map(|user| user.0.into()));
        let after = match user {
            None => {
                "SELECT number, \"user\", place, at_ms, record FROM turns \
                 WHERE place = $1 AND number > $2 ORDER BY number LIMIT $3"
            }
            Some(_) => {
                "SELECT number, \"user\", place, at_ms, record FROM turns \
                 WHERE place = $1 AND number > $2 AND \"user\" = $3 ORDER BY number LIMIT $4"
            }
        };
        let values = values.chain([limit.into()]).collect();
        self.rows(after, values).await?.into_iter().map(kept).collect()
    }

    async fn claim_button(&self, turn: TurnId, button: ReplyButton) -> Result<bool, ServiceError> {
        // One statement checks and claims: of two concurrent presses, only one adds the row.
        let claimed = "INSERT INTO used_buttons (turn, button) SELECT number, $1 FROM turns WHERE number = $2 \
                       ON CONFLICT (turn, button) DO NOTHING";
        Ok(0 < self.execute(claimed, vec![button.key().into(), turn.0.into()]).await?)
    }

    async fn release_button(&self, turn: TurnId, button: ReplyButton) -> Result<(), ServiceError> {
        let released = "DELETE FROM used_buttons WHERE turn = $1 AND button = $2";
        self.execute(released, vec![turn.0.into(), button.key().into()]).await.map(drop)
    }
}

impl Database {
    /// Returns the newest turns of all people, newest first.
    pub async fn newest_turns(&self, limit: usize) -> Result<Vec<KeptTurn>, ServiceError> {
        let newest =
            "SELECT number, \"user\", place, at_ms, record FROM turns WHERE 0 < number ORDER BY number DESC LIMIT $1";
        self.rows(newest, vec![limit.into()]).await?.into_iter().map(kept).collect()
    }
}

fn no_number() -> ServiceError {
    ServiceError::Store("a turn got no number".to_owned())
}

fn text_of(record: &TurnRecord) -> Result<String, ServiceError> {
    serde_json::to_string(&record.clone().bounded())
        .map_err(|problem| ServiceError::Store(format!("a turn cannot be written down: {problem}")))
}

fn kept(mut row: Row) -> Result<KeptTurn, ServiceError> {
    let number: u64 = row.take()?;
    let user: u64 = row.take()?;
    let place: String = row.take()?;
    let at: SystemTime = row.take()?;
    let record: String = row.take()?;
    Ok(KeptTurn {
        id: TurnId(number),
        user: UserId(user),
        place: Place::from_key(&place).ok_or_else(|| unreadable("place"))?,
        at,
        record: serde_json::from_str(&record).map_err(|_| unreadable("record"))?,
    })
}

fn unreadable(column: &str) -> ServiceError {
    ServiceError::Store(format!("a turn's {column} says nothing this program has ever written"))
}
