//! A connection within a transaction, whatever the engine.

use async_trait::async_trait;
use futures_util::future::BoxFuture;

use super::value::{FromCell, Param, Row};
use candor_core::contract::ServiceError;

/// A connection within a transaction. With SQLite nothing here ever waits: what it does is done when the call returns.
#[async_trait]
pub(crate) trait Connection: Send {
    /// Runs a statement, and returns how many rows it changed.
    async fn execute(&mut self, statement: &'static str, values: &[Param]) -> Result<u64, ServiceError>;

    /// Runs a statement to its end, and returns its rows.
    async fn rows(&mut self, statement: &'static str, values: &[Param]) -> Result<Vec<Row>, ServiceError>;

    /// Takes a named lock until the transaction ends. Take several in a fixed order, to avoid a deadlock.
    async fn lock(&mut self, name: &str) -> Result<(), ServiceError>;

    /// Rolls the transaction back when its work ends, although the work returns a result.
    fn undo(&mut self);

    /// Whether several transactions write at once. Then a clean-up leaves out rows that another one holds.
    fn is_shared(&self) -> bool;
}

impl dyn Connection + '_ {
    /// The first row.
    pub(crate) async fn row(&mut self, statement: &'static str, values: &[Param]) -> Result<Option<Row>, ServiceError> {
        Ok(self.rows(statement, values).await?.into_iter().next())
    }

    /// The first column of the first row.
    pub(crate) async fn value<T: FromCell>(
        &mut self,
        statement: &'static str,
        values: &[Param],
    ) -> Result<Option<T>, ServiceError> {
        self.row(statement, values).await?.map(|mut row| row.take()).transpose()
    }
}

/// What is done within one transaction: all of it, or nothing if it fails.
pub(crate) type TransactionFn<T> =
    Box<dyn for<'c> FnOnce(&'c mut dyn Connection) -> BoxFuture<'c, Result<T, ServiceError>> + Send>;
