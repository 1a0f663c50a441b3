//! The time of the server.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::edges::store::database::Database;
use crate::host::StoreTime;
use candor_core::contract::ServiceError;

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
