//! Summaries of conversations.
//!
//! To store a summary, lock the rows of the conversation and of all its speakers, as for an exchange. Then check that
//! everything it was written from still exists. To forget something, remove or lock one of those rows first. So no
//! summary brings forgotten words back.

use std::collections::BTreeSet;
use std::time::SystemTime;

use async_trait::async_trait;

use crate::database::Database;
use crate::sql::{Connection, Param, Row};
use crate::tables::chat::shared_words::with;
use candor_core::agent::{ConversationKey, Exchange, Spoken, Summaries, Summary, ToSummarise, UnshownExchange};
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;

const SUMMARY: &str = "SELECT text, n_exchanges, through FROM summaries WHERE place = $1 AND \"user\" = $2";

/// Locks a conversation, or one person's part of it, if it is under way.
const LOCK: &str = "UPDATE conversations SET used_ms = used_ms WHERE place = $1 AND \"user\" = $2";

/// Counts the exchanges behind a position, up to another one, that go into a summary.
const N_EXCHANGES: &str = "SELECT count(*) FROM exchanges WHERE place = $1 AND \"user\" = $2 \
                           AND $3 < position AND position <= $4 AND NOT EXISTS \
                           (SELECT 1 FROM exchange_messages WHERE exchange = position AND gone = 1)";

/// Counts the pieces of speech that go into a summary of a shared conversation.
const N_SPOKEN: &str = "SELECT count(*) FROM shared_words JOIN exchanges ON exchanges.position = shared_words.exchange \
                        WHERE place = $1 AND exchanges.\"user\" = $2 \
                        AND $3 < exchanges.position AND exchanges.position <= $4 AND NOT EXISTS \
                        (SELECT 1 FROM exchange_messages WHERE exchange = exchanges.position AND gone = 1)";

#[async_trait]
impl Summaries for Database {
    async fn summary(&self, key: &ConversationKey) -> Result<Option<Summary>, ServiceError> {
        let found = self.row(SUMMARY, with(key, [])).await?;
        found
            .map(|mut row| Ok(Summary { text: row.take()?, n_exchanges: row.take()?, through: row.take()? }))
            .transpose()
    }

    async fn to_summarise(
        &self,
        key: &ConversationKey,
        n_shown: usize,
        limit: usize,
    ) -> Result<ToSummarise, ServiceError> {
        let before = self.summary(key).await?;
        let through = before.as_ref().map_or(0, |summary| summary.through);
        let unshown = "SELECT position, said_ms, said, answered FROM exchanges \
                       WHERE place = $1 AND \"user\" = $2 AND $3 < position AND position NOT IN \
                       (SELECT position FROM exchanges WHERE place = $1 AND \"user\" = $2 \
                       ORDER BY position DESC LIMIT $4) AND NOT EXISTS \
                       (SELECT 1 FROM exchange_messages WHERE exchange = position AND gone = 1) \
                       ORDER BY position LIMIT $5";
        let rows = self.rows(unshown, with(key, [through.into(), n_shown.into(), limit.into()])).await?;
        let mut exchanges = Vec::with_capacity(rows.len());
        for mut row in rows {
            let position: u64 = row.take()?;
            let at: SystemTime = row.take()?;
            let said: String = row.take()?;
            let answered: String = row.take()?;
            let exchange = match key.is_shared() {
                true => Exchange::shared(self.spoken(position).await?, answered),
                false => Exchange::read_back(said, answered),
            };
            exchanges.push(UnshownExchange { position, at, exchange });
        }
        Ok(ToSummarise { before, exchanges })
    }

    async fn keep_summary(&self, key: &ConversationKey, of: &ToSummarise, text: &str) -> Result<bool, ServiceError> {
        let [.., last] = of.exchanges.as_slice() else { return Ok(false) };
        let oldest = of.exchanges.iter().map(|unshown| unshown.at).min().unwrap_or(last.at);
        let spoken: Vec<&Spoken> = of.exchanges.iter().flat_map(|unshown| unshown.exchange.spoken()).collect();
        let mut people: BTreeSet<UserId> = spoken.iter().map(|spoken| spoken.by).collect();
        let n_exchanges = of.exchanges.len() as u64;
        let n_spoken = spoken.len() as u64;
        let before = of.before.as_ref().map(|summary| summary.through);
        let n_in_all = of.before.as_ref().map_or(0, |summary| summary.n_exchanges) + n_exchanges;
        let range: [Param; 2] = [before.unwrap_or_default().into(), last.position.into()];
        let summary = with(key, [text.into(), n_in_all.into(), last.position.into(), oldest.into()]);
        let key = key.clone();
        self.write(move |connection| {
            Box::pin(async move {
                let in_it = "SELECT person FROM summary_people WHERE place = $1 AND \"user\" = $2";
                for mut person in connection.rows(in_it, &with(&key, [])).await? {
                    people.insert(UserId(person.take()?));
                }
                // The same order everywhere avoids deadlocks.
                let parts = people.iter().map(|person| ConversationKey { place: key.place.clone(), user: *person });
                for part in [key.clone()].into_iter().chain(parts) {
                    if connection.execute(LOCK, &with(&part, [])).await? == 0 {
                        return Ok(false);
                    }
                }
                let now = connection.row(SUMMARY, &with(&key, [])).await?;
                let now: Option<u64> = now
                    .map(|mut row| {
                        let _words: String = row.take()?;
                        let _n_exchanges: u64 = row.take()?;
                        row.take()
                    })
                    .transpose()?;
                let count = with(&key, range.clone());
                let n_now: Option<u64> = connection.value(N_EXCHANGES, &count).await?;
                let n_spoken_now: Option<u64> = connection.value(N_SPOKEN, &count).await?;
                if now != before || n_now != Some(n_exchanges) || n_spoken_now != Some(n_spoken) {
                    return Ok(false);
                }
                let kept = "INSERT INTO summaries (place, \"user\", text, n_exchanges, through, since_ms) \
                            VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (place, \"user\") DO UPDATE \
                            SET text = excluded.text, n_exchanges = excluded.n_exchanges, through = excluded.through";
                connection.execute(kept, &summary).await?;
                let messages = "INSERT INTO summary_messages (message, place, \"user\") \
                                SELECT DISTINCT message, $1, $2 FROM exchange_messages \
                                JOIN exchanges ON exchanges.position = exchange_messages.exchange \
                                WHERE exchanges.place = $1 AND exchanges.\"user\" = $2 \
                                AND $3 < exchanges.position AND exchanges.position <= $4 AND gone = 0 \
                                ON CONFLICT (message, place, \"user\") DO NOTHING";
                connection.execute(messages, &count).await?;
                for person in people {
                    let in_it = "INSERT INTO summary_people (place, \"user\", person) VALUES ($1, $2, $3) \
                                 ON CONFLICT (place, \"user\", person) DO NOTHING";
                    connection.execute(in_it, &with(&key, [person.0.into()])).await?;
                }
                Ok(true)
            })
        })
        .await
    }

    async fn keep_messages(&self, key: &ConversationKey, messages: &[u64]) -> Result<(), ServiceError> {
        if messages.is_empty() {
            return Ok(());
        }
        let key = key.clone();
        let messages = messages.to_vec();
        self.write(move |connection| {
            Box::pin(async move {
                let newest = "SELECT max(position) FROM exchanges WHERE place = $1 AND \"user\" = $2";
                let newest = connection.row(newest, &with(&key, [])).await?;
                let newest: Option<i64> = newest.map_or(Ok(None), |mut row| row.take())?;
                let Some(exchange) = newest else { return Ok(()) };
                for message in messages {
                    let asked = "INSERT INTO exchange_messages (message, exchange) VALUES ($1, $2) \
                                 ON CONFLICT (message, exchange) DO NOTHING";
                    connection.execute(asked, &[message.into(), exchange.into()]).await?;
                }
                Ok(())
            })
        })
        .await
    }

    async fn messages_are_gone(&self, messages: &[u64]) -> Result<u64, ServiceError> {
        // Takes no lock: nearly all deleted messages do not concern the bot.
        let asked = match self.is_on_a_server() {
            false => {
                "SELECT message, place, \"user\" FROM summary_messages \
                 WHERE message IN (SELECT value FROM json_each($1)) UNION \
                 SELECT message, place, \"user\" FROM exchange_messages \
                 JOIN exchanges ON exchanges.position = exchange_messages.exchange \
                 WHERE message IN (SELECT value FROM json_each($1))"
            }
            true => {
                "SELECT message, place, \"user\" FROM summary_messages WHERE message IN \
                 (SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST($1 AS JSON)) AS listed (id)) UNION \
                 SELECT message, place, \"user\" FROM exchange_messages \
                 JOIN exchanges ON exchanges.position = exchange_messages.exchange WHERE message IN \
                 (SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST($1 AS JSON)) AS listed (id))"
            }
        };
        // A row that cannot be read or removed does not stop the removal of the others.
        let mut n_gone = 0;
        let mut failed = None;
        for row in self.rows(asked, vec![Param::listed(messages)]).await? {
            match self.message_is_gone(row).await {
                Ok(n) => n_gone += n,
                Err(problem) => failed = Some(problem),
            }
        }
        if 0 < n_gone {
            self.empty_log().await;
        }
        failed.map_or(Ok(n_gone), Err)
    }
}

impl Database {
    /// Removes the summary that a deleted message went into. The row holds the message and a conversation.
    async fn message_is_gone(&self, mut row: Row) -> Result<u64, ServiceError> {
        let message: u64 = row.take()?;
        let key = ConversationKey { place: row.take()?, user: UserId(row.take()?) };
        self.write(move |connection| {
            Box::pin(async move {
                connection.execute(LOCK, &with(&key, [])).await?;
                let gone = "UPDATE exchange_messages SET gone = 1 WHERE message = $1";
                connection.execute(gone, &[message.into()]).await?;
                let summary = "DELETE FROM summaries WHERE place = $1 AND \"user\" = $2 AND EXISTS \
                               (SELECT 1 FROM summary_messages WHERE message = $3 \
                               AND place = $1 AND \"user\" = $2)";
                connection.execute(summary, &with(&key, [message.into()])).await
            })
        })
        .await
    }

    async fn spoken(&self, exchange: u64) -> Result<Vec<Spoken>, ServiceError> {
        let spoken = "SELECT \"user\", name, said FROM shared_words WHERE exchange = $1 ORDER BY position";
        let rows = self.rows(spoken, vec![exchange.into()]).await?;
        rows.into_iter().map(|mut row| Ok(Spoken::read_back(UserId(row.take()?), row.take()?, row.take()?))).collect()
    }
}

pub(in crate::tables) async fn forget_summary(
    connection: &mut dyn Connection,
    key: &ConversationKey,
) -> Result<(), ServiceError> {
    let summary = "DELETE FROM summaries WHERE place = $1 AND \"user\" = $2";
    connection.execute(summary, &with(key, [])).await.map(drop)
}

/// Removes the summary of a place's shared conversation if it covers something of this person.
pub(in crate::tables) async fn forget_shared_summary(
    connection: &mut dyn Connection,
    place: &str,
    user: UserId,
) -> Result<(), ServiceError> {
    let shared = "DELETE FROM summaries WHERE place = $1 AND EXISTS \
                  (SELECT 1 FROM summary_people WHERE summary_people.place = $1 \
                  AND summary_people.\"user\" = summaries.\"user\" AND person = $2)";
    connection.execute(shared, &[place.into(), user.0.into()]).await.map(drop)
}

/// Removes the summaries of a person's own conversations, and all summaries that cover something of theirs.
pub(in crate::tables) async fn forget_summaries_of(
    connection: &mut dyn Connection,
    user: UserId,
) -> Result<(), ServiceError> {
    let own = "DELETE FROM summaries WHERE \"user\" = $1";
    connection.execute(own, &[user.0.into()]).await?;
    let shared = "DELETE FROM summaries WHERE (place, \"user\") IN \
                  (SELECT place, \"user\" FROM summary_people WHERE person = $1)";
    connection.execute(shared, &[user.0.into()]).await.map(drop)
}
