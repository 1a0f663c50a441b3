//! Deletes data past its retention period.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::edges::store::database::Database;
use crate::edges::store::tables::commands::chain::ReceiptKind;
use crate::host::{Aging, Retention};
use candor_core::contract::ServiceError;

/// Rows removed in one transaction: whoever writes meanwhile waits for it.
const REMOVED_AT_ONCE: usize = 100;

#[async_trait]
impl Retention for Database {
    async fn remove_old(&self, what: Aging, before: SystemTime, now: SystemTime) -> Result<usize, ServiceError> {
        let old = match what {
            Aging::Receipts => return self.remove_receipts(ReceiptKind::Called, before, now).await,
            Aging::Refreshes => return self.remove_receipts(ReceiptKind::Refreshed, before, now).await,
            Aging::Exchanges => {
                "DELETE FROM exchanges WHERE position IN \
                 (SELECT position FROM exchanges WHERE said_ms < $1 ORDER BY said_ms LIMIT $2)"
            }
            // Their messages go with them.
            Aging::Turns => {
                "DELETE FROM turns WHERE number IN \
                 (SELECT number FROM turns WHERE at_ms < $1 ORDER BY at_ms LIMIT $2)"
            }
            Aging::Answers => {
                "DELETE FROM kept_answers WHERE number IN \
                 (SELECT number FROM kept_answers WHERE kept_ms < $1 ORDER BY kept_ms LIMIT $2)"
            }
            Aging::Spending => {
                "DELETE FROM spending WHERE (day_ms, subject) IN \
                 (SELECT day_ms, subject FROM spending WHERE day_ms < $1 ORDER BY day_ms LIMIT $2)"
            }
        };
        let removed = self.execute(old, vec![before.into(), REMOVED_AT_ONCE.into()]).await?;
        Ok(usize::try_from(removed).unwrap_or(usize::MAX))
    }

    async fn added(&self, what: Aging, since: SystemTime) -> Result<u64, ServiceError> {
        let added = match what {
            Aging::Receipts => "SELECT count(*) FROM receipts WHERE origin <> 'refreshed' AND started_ms >= $1",
            Aging::Refreshes => "SELECT count(*) FROM receipts WHERE origin = 'refreshed' AND started_ms >= $1",
            Aging::Exchanges => "SELECT count(*) FROM exchanges WHERE said_ms >= $1",
            Aging::Turns => "SELECT count(*) FROM turns WHERE at_ms >= $1",
            Aging::Answers => "SELECT count(*) FROM kept_answers WHERE kept_ms >= $1",
            // Rows of a day come in over the day, and are old all at once.
            Aging::Spending => "SELECT count(*) FROM spending WHERE day_ms >= $1 - 86400000",
        };
        self.row(added, vec![since.into()]).await?.map_or(Ok(0), |mut row| row.take())
    }

    async fn newest(&self) -> Result<Option<SystemTime>, ServiceError> {
        let newest = "SELECT max(at_ms) FROM (\
                      SELECT (SELECT started_ms FROM receipts ORDER BY position DESC LIMIT 1) AS at_ms \
                      UNION ALL SELECT max(claimed_ms) FROM claims \
                      UNION ALL SELECT max(at_ms) FROM samples) AS newest";
        self.row(newest, Vec::new()).await?.map_or(Ok(None), |mut row| row.take())
    }
}
