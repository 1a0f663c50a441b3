//! A connection of either engine.

use async_trait::async_trait;
use futures_util::future::BoxFuture;

use super::value::{FromCell, Param, Row};
use candor_core::contract::ServiceError;

/// A connection within a transaction. With SQLite no method ever waits: the work is done when the call returns.
#[async_trait]
pub(crate) trait Connection: Send {
    async fn execute(&mut self, statement: &'static str, values: &[Param]) -> Result<u64, ServiceError>;

    /// Runs a statement to its end and returns its rows.
    async fn rows(&mut self, statement: &'static str, values: &[Param]) -> Result<Vec<Row>, ServiceError>;

    /// Takes a named lock until the transaction ends. Take several in a fixed order, to avoid a deadlock.
    async fn lock(&mut self, name: &str) -> Result<(), ServiceError>;

    /// Rolls the transaction back when its work ends, even if the work returns a result.
    fn undo(&mut self);

    /// Whether several transactions write at once. If so, a clean-up skips rows that another transaction holds.
    fn is_shared(&self) -> bool;
}

impl dyn Connection + '_ {
    pub(crate) async fn row(&mut self, statement: &'static str, values: &[Param]) -> Result<Option<Row>, ServiceError> {
        Ok(self.rows(statement, values).await?.into_iter().next())
    }

    pub(crate) async fn value<T: FromCell>(
        &mut self,
        statement: &'static str,
        values: &[Param],
    ) -> Result<Option<T>, ServiceError> {
        self.row(statement, values).await?.map(|mut row| row.take()).transpose()
    }
}

/// The work of one transaction. If it fails, nothing of it is stored.
pub(crate) type TransactionFn<T> =
    Box<dyn for<'c> FnOnce(&'c mut dyn Connection) -> BoxFuture<'c, Result<T, ServiceError>> + Send>;
