//! Conversations with the model. Every statement names the place and the person, so conversations never mix.

use std::time::SystemTime;

use async_trait::async_trait;
use sqlx::{query, query_as, query_scalar};

use crate::edges::store::sqlite::Sqlite;
use crate::edges::store::sqlite::cause::service_error;
use crate::edges::store::sqlite::columns::{id_column, time_column};
use candor_core::agent::{ConversationKey, Conversations, Exchange};
use candor_core::contract::ServiceError;
use candor_core::router::ChatText;

/// What the person said and what the model answered.
const MESSAGES_PER_EXCHANGE: u64 = 2;

#[async_trait]
impl Conversations for Sqlite {
    async fn history(&self, key: &ConversationKey, limit: usize) -> Result<Vec<Exchange>, ServiceError> {
        let rows: Vec<(String, String)> = query_as(
            "SELECT said, answered FROM (SELECT position, said, answered FROM exchanges \
             WHERE place = ? AND user = ? ORDER BY position DESC LIMIT ?) ORDER BY position",
        )
        .bind(&key.place)
        .bind(id_column(key.user.0))
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&self.readers)
        .await
        .map_err(service_error)?;
        Ok(rows.into_iter().map(|(said, answered)| Exchange::read_back(said, answered)).collect())
    }

    async fn n_exchanges(&self, key: &ConversationKey) -> Result<u64, ServiceError> {
        let number = query_scalar("SELECT count(*) FROM exchanges WHERE place = ? AND user = ?");
        let number = number.bind(&key.place).bind(id_column(key.user.0)).fetch_one(&self.readers).await;
        number.map(i64::cast_unsigned).map_err(service_error)
    }

    async fn append(
        &self,
        key: &ConversationKey,
        words: &ChatText,
        answer: &str,
        at: SystemTime,
    ) -> Result<(), ServiceError> {
        let exchange = query("INSERT INTO exchanges (place, user, said, answered, said_ms) VALUES (?, ?, ?, ?, ?)");
        let exchange = exchange.bind(&key.place).bind(id_column(key.user.0));
        self.write(exchange.bind(words.as_str()).bind(answer).bind(time_column(at))).await.map(drop)
    }

    async fn clear(&self, key: &ConversationKey) -> Result<u64, ServiceError> {
        let all = query("DELETE FROM exchanges WHERE place = ? AND user = ?");
        let removed = self.write(all.bind(&key.place).bind(id_column(key.user.0))).await?;
        Ok(removed.rows_affected() * MESSAGES_PER_EXCHANGE)
    }

    async fn model(&self, key: &ConversationKey) -> Result<Option<String>, ServiceError> {
        let chosen = query_scalar("SELECT model FROM chosen_models WHERE place = ? AND user = ?");
        let chosen = chosen.bind(&key.place).bind(id_column(key.user.0));
        chosen.fetch_optional(&self.readers).await.map_err(service_error)
    }

    async fn choose_model(&self, key: &ConversationKey, model: &str) -> Result<(), ServiceError> {
        let chosen = query(
            "INSERT INTO chosen_models (place, user, model) VALUES (?, ?, ?) \
             ON CONFLICT (place, user) DO UPDATE SET model = excluded.model",
        );
        self.write(chosen.bind(&key.place).bind(id_column(key.user.0)).bind(model)).await.map(drop)
    }
}
