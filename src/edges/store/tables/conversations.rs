//! Conversations with the model. Every statement names the place and the person, so conversations never mix.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::edges::store::database::Database;
use crate::edges::store::sql::Value;
use crate::edges::store::tables::words::take_out_of_chat;
use candor_core::agent::{ConversationKey, Conversations, Exchange};
use candor_core::contract::ServiceError;
use candor_core::router::ChatText;

/// What the person said and what the model answered.
const MESSAGES_PER_EXCHANGE: u64 = 2;

/// The exchanges that are kept of a conversation: as many as `[chat] history` can have shown to the model.
const EXCHANGES_MAX: usize = 200;

#[async_trait]
impl Conversations for Database {
    async fn history(&self, key: &ConversationKey, limit: usize) -> Result<Vec<Exchange>, ServiceError> {
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
        words: &ChatText,
        answer: &str,
        at: SystemTime,
    ) -> Result<(), ServiceError> {
        let exchange = with(key, [words.as_str().into(), answer.into(), at.into()]);
        let beyond = with(key, [EXCHANGES_MAX.into()]);
        self.write(move |connection| {
            Box::pin(async move {
                let kept =
                    "INSERT INTO exchanges (place, \"user\", said, answered, said_ms) VALUES ($1, $2, $3, $4, $5)";
                connection.execute(kept, &exchange).await?;
                let old = "DELETE FROM exchanges WHERE place = $1 AND \"user\" = $2 AND position <= \
                           (SELECT position FROM exchanges WHERE place = $1 AND \"user\" = $2 \
                           ORDER BY position DESC LIMIT 1 OFFSET $3)";
                connection.execute(old, &beyond).await.map(drop)
            })
        })
        .await
    }

    async fn clear(&self, key: &ConversationKey) -> Result<u64, ServiceError> {
        let key = key.clone();
        let removed = self.write(move |connection| {
            Box::pin(async move {
                take_out_of_chat(connection, &key.place, key.user).await?;
                let all = "DELETE FROM exchanges WHERE place = $1 AND \"user\" = $2";
                connection.execute(all, &with(&key, [])).await
            })
        });
        Ok(removed.await? * MESSAGES_PER_EXCHANGE)
    }

    async fn model(&self, key: &ConversationKey) -> Result<Option<String>, ServiceError> {
        let chosen = "SELECT model FROM chosen_models WHERE place = $1 AND \"user\" = $2";
        self.row(chosen, with(key, [])).await?.map(|mut row| row.take()).transpose()
    }

    async fn choose_model(&self, key: &ConversationKey, model: &str) -> Result<(), ServiceError> {
        let chosen = "INSERT INTO chosen_models (place, \"user\", model) VALUES ($1, $2, $3) \
                      ON CONFLICT (place, \"user\") DO UPDATE SET model = excluded.model";
        self.execute(chosen, with(key, [model.into()])).await.map(drop)
    }
}

/// The values that every statement begins with, and more.
fn with<const N: usize>(key: &ConversationKey, more: [Value; N]) -> Vec<Value> {
    [key.place.as_str().into(), key.user.0.into()].into_iter().chain(more).collect()
}
