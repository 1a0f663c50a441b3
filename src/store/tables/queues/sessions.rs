//! Gateway sessions that the next process may resume.

use std::collections::BTreeMap;
use std::time::SystemTime;

use async_trait::async_trait;

use crate::database::Database;
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;
use candor_engine::{SESSION_AGE_MAX, SavedSession, SavedSessions, SessionStore};

/// Takes the sessions without a lessee and, in PostgreSQL (`$3`), those whose process has no valid lease.
const TAKE: &str = "DELETE FROM sessions WHERE identity = $1 AND saved_ms >= $2 AND (lessee IS NULL OR \
                    ($3 = CAST(1 AS BIGINT) AND NOT EXISTS (SELECT 1 FROM leases WHERE \
                    leases.name = 'process ' || CAST(sessions.lessee AS TEXT) \
                    AND leases.until_ms - $4 BETWEEN 1 AND 3600000))) \
                    RETURNING shard, id, url, sequence, bot, lag_ms, saved_ms";
const FORGET_OLD: &str = "DELETE FROM sessions WHERE saved_ms < $1";
const FORGET_OWN: &str = "DELETE FROM sessions WHERE lessee = $1";
const SAVE: &str = "INSERT INTO sessions (identity, shard, id, url, sequence, bot, lag_ms, saved_ms, lessee) \
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

impl Database {
    pub(crate) async fn forget_sessions(&self) -> Result<(), ServiceError> {
        self.execute("DELETE FROM sessions", Vec::new()).await.map(drop)
    }
}

#[async_trait]
impl SessionStore for Database {
    async fn take_sessions(&self, identity: &str, now: SystemTime) -> Result<SavedSessions, ServiceError> {
        let since = now.checked_sub(SESSION_AGE_MAX).unwrap_or(SystemTime::UNIX_EPOCH);
        let is_on_a_server = i64::from(self.is_on_a_server());
        let identity = identity.to_owned();
        let rows = self
            .write(move |connection| {
                Box::pin(async move {
                    connection.execute(FORGET_OLD, &[since.into()]).await?;
                    let values = [identity.into(), since.into(), is_on_a_server.into(), now.into()];
                    connection.rows(TAKE, &values).await
                })
            })
            .await?;
        // Several processes may have left a session of the same shard: the newest counts.
        let mut newest = BTreeMap::<u64, (i64, SavedSession)>::new();
        let mut lag = (i64::MIN, None);
        for mut row in rows {
            let index: u64 = row.take()?;
            let id = row.take()?;
            let url = row.take()?;
            let sequence = row.take()?;
            let bot = UserId(row.take()?);
            let lag_ms: Option<i64> = row.take()?;
            let saved: i64 = row.take()?;
            lag = lag.max((saved, lag_ms));
            let shard = u32::try_from(index).unwrap_or(u32::MAX);
            if newest.get(&index).is_none_or(|(known, _)| *known < saved) {
                newest.insert(index, (saved, SavedSession { shard, id, url, sequence, bot }));
            }
        }
        Ok(SavedSessions { shards: newest.into_values().map(|(_, session)| session).collect(), lag_ms: lag.1 })
    }

    async fn save_sessions(
        &self,
        identity: &str,
        sessions: SavedSessions,
        now: SystemTime,
        is_leaving: bool,
    ) -> Result<(), ServiceError> {
        let identity = identity.to_owned();
        let lessee = self.lessee;
        self.write(move |connection| {
            Box::pin(async move {
                connection.execute(FORGET_OWN, &[lessee.into()]).await?;
                let owner = (!is_leaving).then_some(lessee.cast_signed());
                for SavedSession { shard, id, url, sequence, bot } in sessions.shards {
                    let values = [
                        identity.as_str().into(),
                        u64::from(shard).into(),
                        id.into(),
                        url.as_deref().into(),
                        sequence.into(),
                        bot.0.into(),
                        sessions.lag_ms.into(),
                        now.into(),
                        owner.into(),
                    ];
                    connection.execute(SAVE, &values).await?;
                }
                Ok(())
            })
        })
        .await
    }
}
