//! Secrets: made once, kept in the store.

use async_trait::async_trait;
use sqlx::{query, query_scalar};

use crate::edges::store::sqlite::Sqlite;
use crate::edges::store::sqlite::cause::service_error;
use crate::host::{KEY_LENGTH, Secrets, SigningKey};
use candor_core::contract::ServiceError;

#[async_trait]
impl Secrets for Sqlite {
    async fn key(&self, name: &str) -> Result<SigningKey, ServiceError> {
        let mut fresh = [0; KEY_LENGTH];
        getrandom::fill(&mut fresh)
            .map_err(|problem| ServiceError::Store(format!("the system gives no random bytes: {problem}")))?;
        // Two processes that start at once both end up with the bytes of the first.
        let made = query("INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING");
        self.write(made.bind(name).bind(&fresh[..])).await?;
        let kept = query_scalar("SELECT value FROM secrets WHERE name = ?").bind(name).fetch_one(&self.writer).await;
        let kept: Vec<u8> = kept.map_err(service_error)?;
        let unreadable =
            |_| ServiceError::Store("a kept secret has not the length that this program gives it".to_owned());
        kept.try_into().map(SigningKey::new).map_err(unreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_key_is_made_once_under_its_name_and_outlives_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("candor.db");
        let store = Sqlite::open(&path).await.unwrap();
        let (first, other) = (store.key("a").await.unwrap(), store.key("b").await.unwrap());
        assert_eq!(first.bytes(), store.key("a").await.unwrap().bytes());
        assert_ne!(first.bytes(), other.bytes());
        assert_ne!(first.bytes(), &[0; KEY_LENGTH]);
        store.close().await;
        let store = Sqlite::open(&path).await.unwrap();
        assert_eq!(first.bytes(), store.key("a").await.unwrap().bytes());
        store.close().await;
    }
}
