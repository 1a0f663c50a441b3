//! Secret keys, generated once.

use async_trait::async_trait;

use crate::database::Database;
use candor_core::contract::ServiceError;
use candor_engine::{KEY_LENGTH, Secrets, SigningKey};

#[async_trait]
impl Secrets for Database {
    async fn key(&self, name: &str) -> Result<SigningKey, ServiceError> {
        let fresh = random::<KEY_LENGTH>()?;
        let name = name.to_owned();
        let kept: Option<Vec<u8>> = self
            .write(move |connection| {
                Box::pin(async move {
                    // Two processes that start at once both end up with the bytes of the first.
                    let made = "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
                    connection.execute(made, &[name.as_str().into(), fresh[..].into()]).await?;
                    connection.value("SELECT value FROM secrets WHERE name = $1", &[name.into()]).await
                })
            })
            .await?;
        let unreadable =
            || ServiceError::Store("a kept secret has not the length that this program gives it".to_owned());
        kept.and_then(|kept| kept.try_into().ok()).map(SigningKey::new).ok_or_else(unreadable)
    }
}

impl Database {
    /// Gives a key fresh bytes. Data made with the old bytes is no longer recognized. A running process continues with
    /// the old bytes.
    pub async fn rotate_key(&self, name: &str) -> Result<(), ServiceError> {
        let fresh = random::<KEY_LENGTH>()?;
        let changed = "INSERT INTO secrets (name, value) VALUES ($1, $2) \
                       ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.execute(changed, vec![name.into(), fresh[..].into()]).await.map(|_| ())
    }
}

pub(super) fn random<const N: usize>() -> Result<[u8; N], ServiceError> {
    let mut fresh = [0; N];
    getrandom::fill(&mut fresh)
        .map_err(|problem| ServiceError::Store(format!("the system gives no random bytes: {problem}")))?;
    Ok(fresh)
}
