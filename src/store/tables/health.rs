//! The health of the store: whether it can be written, its size, and the time of its server.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::database::Database;
use candor_core::contract::ServiceError;
use candor_engine::{StoreProbe, StoreTime};

#[async_trait]
impl StoreProbe for Database {
    async fn probe(&self) -> Result<(), ServiceError> {
        // Writes a separate row anew, because only a commit shows that the disk has room for one. No lease has this
        // name.
        let written = "INSERT INTO leases (name, lessee, until_ms) VALUES ('probe', $1, $2) \
                       ON CONFLICT (name) DO UPDATE SET lessee = excluded.lessee, until_ms = excluded.until_ms";
        self.execute(written, vec![self.lessee.into(), SystemTime::now().into()]).await.map(drop)
    }

    async fn size(&self) -> Result<Option<u64>, ServiceError> {
        let size = match self.is_on_a_server() {
            true => "SELECT pg_database_size(current_database())",
            false => "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        };
        self.row(size, Vec::new()).await?.map(|mut row| row.take()).transpose()
    }
}

#[async_trait]
impl StoreTime for Database {
    async fn time(&self) -> Result<Option<SystemTime>, ServiceError> {
        if !self.is_on_a_server() {
            return Ok(None);
        }
        let time = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
        self.row(time, Vec::new()).await?.map(|mut row| row.take()).transpose()
    }
}
