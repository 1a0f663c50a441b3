//! Conversations with the model. Every statement names the place and the person, so conversations never mix.
//!
//! A new generation distinguishes a conversation from the one before it was cleared or erased, which removes the row.
//! To store something, lock that row first; to clear, remove it first. So one of two concurrent operations sees the
//! other's change.

use std::hash::{BuildHasher as _, RandomState};
use std::time::SystemTime;

use async_trait::async_trait;

use crate::database::Database;
use crate::sql::Connection;
use crate::tables::chat::shared_words::{forget_part, keep_spoken, shared_history, with};
use crate::tables::chat::summaries::{forget_shared_summary, forget_summary};
use crate::tables::queues::places::note_use;
use crate::tables::words::take_out_of_chat;
use candor_core::agent::{ConversationKey, Conversations, Exchange, Generation, Generations, Spoken};
use candor_core::contract::ServiceError;
use candor_core::inbound::{Place, UserId};
use candor_core::router::ChatText;

/// The person's words and the model's answer.
const MESSAGES_PER_EXCHANGE: u64 = 2;

/// Exchanges stored for a conversation: the maximum that `[chat] history` can show to the model.
const EXCHANGES_MAX: usize = 200;

/// Deletes the exchanges of a conversation that have at least `$3` newer ones.
const OLD: &str = "DELETE FROM exchanges WHERE place = $1 AND \"user\" = $2 AND position <= \
                   (SELECT position FROM exchanges WHERE place = $1 AND \"user\" = $2 \
                   ORDER BY position DESC LIMIT 1 OFFSET $3)";

#[async_trait]
impl Conversations for Database {
    async fn generation(&self, key: &ConversationKey) -> Result<Generation, ServiceError> {
        let known = "SELECT generation FROM conversations WHERE place = $1 AND \"user\" = $2";
        if let Some(mut row) = self.row(known, with(key, [])).await? {
            return row.take().map(Generation);
        }
        // Another process may begin the conversation at the same moment: then both use the same generation.
        let key = key.clone();
        let new = RandomState::new().hash_one(());
        let generation = self.write(move |connection| {
            Box::pin(async move {
                let begun = "INSERT INTO conversations (place, \"user\", generation, used_ms) VALUES ($1, $2, $3, $4) \
                             ON CONFLICT (place, \"user\") DO NOTHING";
                let now = SystemTime::now();
                connection.execute(begun, &with(&key, [new.into(), now.into()])).await?;
                note_use(connection, &key.place, key.user, now).await?;
                connection.value(known, &with(&key, [])).await
            })
        });
        let generation: Option<u64> = generation.await?;
        generation.map(Generation).ok_or_else(|| ServiceError::Store("a conversation did not begin".to_owned()))
    }

    async fn history(&self, key: &ConversationKey, limit: usize) -> Result<Vec<Exchange>, ServiceError> {
        if key.is_shared() {
            return shared_history(self, key, limit).await;
        }
        let newest = "SELECT said, answered FROM (SELECT position, said, answered FROM exchanges \
                      WHERE place = $1 AND \"user\" = $2 ORDER BY position DESC LIMIT $3) AS newest ORDER BY position";
        let rows = self.rows(newest, with(key, [limit.into()])).await?;
        rows.into_iter().map(|mut row| Ok(Exchange::read_back(row.take()?, row.take()?))).collect()
    }

    async fn n_exchanges(&self, key: &ConversationKey) -> Result<u64, ServiceError> {
        let count = "SELECT count(*) FROM exchanges WHERE place = $1 AND \"user\" = $2";
        let count = self.row(count, with(key, [])).await?;
        count.map_or(Ok(0), |mut row| row.take())
    }

    async fn append(
        &self,
        key: &ConversationKey,
        generation: Generation,
        words: &ChatText,
        answer: &str,
        at: SystemTime,
    ) -> Result<bool, ServiceError> {
        let key = key.clone();
        let exchange = with(&key, [words.as_str().into(), answer.into(), at.into()]);
        let beyond = with(&key, [EXCHANGES_MAX.into()]);
        self.write(move |connection| {
            Box::pin(async move {
                if !is_under_way(connection, &key, generation, at).await? {
                    return Ok(false);
                }
                let kept =
                    "INSERT INTO exchanges (place, \"user\", said, answered, said_ms) VALUES ($1, $2, $3, $4, $5)";
                connection.execute(kept, &exchange).await?;
                connection.execute(OLD, &beyond).await.map(|_| true)
            })
        })
        .await
    }

    async fn append_spoken(
        &self,
        begun: &Generations,
        spoken: &[Spoken],
        answer: &str,
        at: SystemTime,
    ) -> Result<bool, ServiceError> {
        let begun = begun.clone();
        let spoken = spoken.to_vec();
        let answer = answer.to_owned();
        self.write(move |connection| {
            Box::pin(async move {
                for (key, generation) in &begun.0 {
                    if !is_under_way(connection, key, *generation, at).await? {
                        return Ok(false);
                    }
                }
                let Some((key, _)) = begun.0.first() else { return Ok(false) };
                keep_spoken(connection, key, &spoken, &answer, at).await?;
                connection.execute(OLD, &with(key, [EXCHANGES_MAX.into()])).await.map(|_| true)
            })
        })
        .await
    }

    async fn clear(&self, key: &ConversationKey) -> Result<u64, ServiceError> {
        let key = key.clone();
        let removed = self.write(move |connection| {
            Box::pin(async move {
                let ended = "DELETE FROM conversations WHERE place = $1 AND \"user\" = $2";
                connection.execute(ended, &with(&key, [])).await?;
                forget_summary(connection, &key).await?;
                if key.is_shared() {
                    // Each participant has a row in the shared conversation.
                    let part = "DELETE FROM conversations WHERE place = $1 RETURNING \"user\"";
                    for mut person in connection.rows(part, &[key.place.as_str().into()]).await? {
                        take_out_of_chat(connection, &key.place, UserId(person.take()?)).await?;
                    }
                } else {
                    take_out_of_chat(connection, &key.place, key.user).await?;
                }
                let all = "DELETE FROM exchanges WHERE place = $1 AND \"user\" = $2";
                connection.execute(all, &with(&key, [])).await
            })
        });
        let removed = removed.await?;
        self.empty_log().await;
        Ok(removed * MESSAGES_PER_EXCHANGE)
    }

    async fn clear_part(&self, place: Place, user: UserId) -> Result<u64, ServiceError> {
        let whole = ConversationKey::shared(place);
        let part = ConversationKey::new(place, user);
        let removed = self.write(move |connection| {
            Box::pin(async move {
                let ended = "DELETE FROM conversations WHERE place = $1 AND \"user\" = $2";
                connection.execute(ended, &with(&part, [])).await?;
                forget_shared_summary(connection, &part.place, user).await?;
                take_out_of_chat(connection, &part.place, user).await?;
                let theirs = "SELECT DISTINCT exchange FROM shared_words JOIN exchanges \
                              ON exchanges.position = shared_words.exchange \
                              WHERE exchanges.place = $1 AND exchanges.\"user\" = $2 AND shared_words.\"user\" = $3";
                let theirs = connection.rows(theirs, &with(&whole, [user.0.into()])).await?;
                let theirs: Vec<i64> = theirs.into_iter().map(|mut row| row.take()).collect::<Result<_, _>>()?;
                let n = theirs.len() as u64;
                forget_part(connection, user, theirs).await.map(|()| n)
            })
        });
        let removed = removed.await?;
        self.empty_log().await;
        Ok(removed * MESSAGES_PER_EXCHANGE)
    }

    async fn model(&self, key: &ConversationKey) -> Result<Option<String>, ServiceError> {
        let chosen = "SELECT model FROM chosen_models WHERE place = $1 AND \"user\" = $2";
        self.row(chosen, with(key, [])).await?.map(|mut row| row.take()).transpose()
    }

    async fn choose_model(&self, key: &ConversationKey, model: &str) -> Result<(), ServiceError> {
        let chosen = "INSERT INTO chosen_models (place, \"user\", model, used_ms) VALUES ($1, $2, $3, $4) \
                      ON CONFLICT (place, \"user\") DO UPDATE SET model = excluded.model, used_ms = excluded.used_ms";
        self.execute(chosen, with(key, [model.into(), SystemTime::now().into()])).await.map(drop)
    }
}

/// Checks that a conversation was neither cleared nor erased since, and keeps it so until the transaction ends. Marks
/// the conversation and the model chosen for it as used.
pub(in crate::tables) async fn is_under_way(
    connection: &mut dyn Connection,
    key: &ConversationKey,
    generation: Generation,
    at: SystemTime,
) -> Result<bool, ServiceError> {
    let locked = "UPDATE conversations SET used_ms = $1 WHERE place = $2 AND \"user\" = $3 AND generation = $4";
    let used = [vec![at.into()], with(key, [generation.0.into()])].concat();
    if connection.execute(locked, &used).await? == 0 {
        return Ok(false);
    }
    let model = "UPDATE chosen_models SET used_ms = $1 WHERE place = $2 AND \"user\" = $3";
    connection.execute(model, &[vec![at.into()], with(key, [])].concat()).await.map(|_| true)
}
