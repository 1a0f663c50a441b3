//! Gateway sessions that the next process may resume.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::edges::store::database::Database;
use crate::edges::store::sql::Row;
use crate::host::{SavedSession, SavedSessions};
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;

/// `$3` is 1 where every process that saved sessions has ended.
const TAKE: &str = "UPDATE sessions SET is_left = 0 WHERE identity = $1 AND saved_ms >= $2 AND (is_left = 1 OR $3 = 1) \
                    RETURNING shard, id, url, sequence, bot";
const SAVE: &str = "INSERT INTO sessions (identity, shard, id, url, sequence, bot, saved_ms, is_left) \
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (identity, shard) DO UPDATE SET \
                    id = excluded.id, url = excluded.url, sequence = excluded.sequence, bot = excluded.bot, \
                    saved_ms = excluded.saved_ms, is_left = excluded.is_left";
const FORGET_OTHERS: &str = "DELETE FROM sessions WHERE identity <> $1 AND saved_ms < $2";

#[async_trait]
impl SavedSessions for Database {
    async fn take_sessions(&self, identity: &str, since: SystemTime) -> Result<Vec<SavedSession>, ServiceError> {
        let (identity, was_alone) = (identity.to_owned(), self.was_alone_on_file());
        let rows = self
            .write(move |connection| {
                Box::pin(async move {
                    connection.execute(FORGET_OTHERS, &[identity.as_str().into(), since.into()]).await?;
                    connection.rows(TAKE, &[identity.into(), since.into(), i64::from(was_alone).into()]).await
                })
            })
            .await?;
        let session = |mut row: Row| {
            let (shard, id, url): (u64, _, _) = (row.take()?, row.take()?, row.take()?);
            let (sequence, bot) = (row.take()?, UserId(row.take()?));
            Ok(SavedSession { shard: u32::try_from(shard).unwrap_or(u32::MAX), id, url, sequence, bot })
        };
        rows.into_iter().map(session).collect()
    }

    async fn save_sessions(
        &self,
        identity: &str,
        sessions: Vec<SavedSession>,
        at: SystemTime,
        is_leaving: bool,
    ) -> Result<(), ServiceError> {
        let identity = identity.to_owned();
        self.write(move |connection| {
            Box::pin(async move {
                for SavedSession { shard, id, url, sequence, bot } in sessions {
                    let values = [
                        identity.as_str().into(),
                        u64::from(shard).into(),
                        id.into(),
                        url.as_deref().into(),
                        sequence.into(),
                        bot.0.into(),
                        at.into(),
                        i64::from(is_leaving).into(),
                    ];
                    connection.execute(SAVE, &values).await?;
                }
                Ok(())
            })
        })
        .await
    }
}
