//! Pending IDENTIFYs: logins at Discord that have not led to a session yet.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::edges::store::database::Database;
use crate::host::PendingLogins;
use candor_core::contract::ServiceError;

#[async_trait]
impl PendingLogins for Database {
    async fn login_made(&self, at: SystemTime) -> Result<(), ServiceError> {
        let made = "INSERT INTO logins (at_ms) VALUES ($1) ON CONFLICT (at_ms) DO NOTHING";
        self.execute(made, vec![at.into()]).await.map(drop)
    }

    async fn login_succeeded(&self, at: SystemTime) -> Result<(), ServiceError> {
        self.execute("DELETE FROM logins WHERE at_ms = $1", vec![at.into()]).await.map(drop)
    }

    async fn pending_logins(&self, since: SystemTime) -> Result<Vec<SystemTime>, ServiceError> {
        let pending = "SELECT at_ms FROM logins WHERE at_ms >= $1 ORDER BY at_ms LIMIT 1000";
        let rows = self.rows(pending, vec![since.into()]).await?;
        rows.into_iter().map(|mut row| row.take()).collect()
    }
}
