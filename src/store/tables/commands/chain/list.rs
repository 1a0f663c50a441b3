//! Lists the receipts of the ledger.

use crate::database::Database;
use crate::sql::Row;
use crate::tables::commands::receipts::{digest, entry, of_receipts};
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;
use candor_core::record::{Digest, LedgerEntry, ReceiptId};

const LISTED_MAX: usize = 1_000;

#[derive(Clone, Debug, PartialEq)]
pub struct StoredReceipt {
    /// Its place in the chain. Positions grow, with gaps.
    pub position: i64,
    pub entry: LedgerEntry,
    pub link: Digest,
}

/// Conditions on receipts. The default matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiptFilter {
    pub user: Option<UserId>,
    /// This command, such as `/tasks add`, or all its subcommands: `/tasks`.
    pub command: Option<String>,
}

impl Database {
    /// Returns receipts before this position, newest first, at most `limit` (up to 1,000 at once).
    pub async fn receipts_before(
        &self,
        position: i64,
        filter: &ReceiptFilter,
        limit: usize,
    ) -> Result<Vec<StoredReceipt>, ServiceError> {
        let page = of_receipts!(
            "SELECT position, link, ",
            "FROM receipts WHERE position < $1 \
             AND ($2 IS NULL OR command = $2 OR substr(command, 1, length($2) + 1) = $2 || ' ') \
             ORDER BY position DESC LIMIT $3"
        );
        let page_of = of_receipts!(
            "SELECT position, link, ",
            "FROM receipts WHERE position < $1 \
             AND ($2 IS NULL OR command = $2 OR substr(command, 1, length($2) + 1) = $2 || ' ') \
             AND caller = $3 ORDER BY position DESC LIMIT $4"
        );
        self.stored(page, page_of, position, filter, limit).await
    }

    /// Returns receipts after this position, oldest first, at most `limit` (up to 1,000 at once).
    pub async fn receipts_after(
        &self,
        position: i64,
        filter: &ReceiptFilter,
        limit: usize,
    ) -> Result<Vec<StoredReceipt>, ServiceError> {
        let page = of_receipts!(
            "SELECT position, link, ",
            "FROM receipts WHERE position > $1 \
             AND ($2 IS NULL OR command = $2 OR substr(command, 1, length($2) + 1) = $2 || ' ') \
             ORDER BY position LIMIT $3"
        );
        let page_of = of_receipts!(
            "SELECT position, link, ",
            "FROM receipts WHERE position > $1 \
             AND ($2 IS NULL OR command = $2 OR substr(command, 1, length($2) + 1) = $2 || ' ') \
             AND caller = $3 ORDER BY position LIMIT $4"
        );
        self.stored(page, page_of, position, filter, limit).await
    }

    pub async fn stored_receipt(&self, id: ReceiptId) -> Result<Option<StoredReceipt>, ServiceError> {
        let receipt = of_receipts!("SELECT position, link, ", "FROM receipts WHERE number = $1");
        self.row(receipt, vec![id.number().into()]).await?.map(stored).transpose()
    }

    /// Reads a page. `page_of` reads the receipts of one caller, which have an index.
    async fn stored(
        &self,
        page: &'static str,
        page_of: &'static str,
        position: i64,
        filter: &ReceiptFilter,
        limit: usize,
    ) -> Result<Vec<StoredReceipt>, ServiceError> {
        let mut values = vec![position.into(), filter.command.as_deref().into()];
        values.extend(filter.user.map(|user| user.0.into()));
        values.push(limit.min(LISTED_MAX).into());
        let rows = self.rows(if filter.user.is_some() { page_of } else { page }, values).await?;
        rows.into_iter().map(stored).collect()
    }
}

fn stored(mut row: Row) -> Result<StoredReceipt, ServiceError> {
    let position = row.take()?;
    let link = digest(row.take()?)?;
    Ok(StoredReceipt { position, link, entry: entry(row)? })
}
