//! A connection to the server, and the meaning of its errors.

use async_trait::async_trait;
use sqlx::postgres::{PgArguments, PgConnection, PgRow, Postgres};
use sqlx::query::Query;
use sqlx::{Column as _, Row as _, TypeInfo as _, query};

use crate::sql::{Cause, Cell, Connection, Param, Row};
use candor_core::contract::ServiceError;

/// One connection to the server, within a transaction.
pub(super) struct ServerConnection<'a> {
    pub(super) connection: &'a mut PgConnection,
    pub(super) is_undone: bool,
}

#[async_trait]
impl Connection for ServerConnection<'_> {
    async fn execute(&mut self, statement: &'static str, values: &[Param]) -> Result<u64, ServiceError> {
        let done = bound(statement, values).execute(&mut *self.connection).await;
        done.map(|done| done.rows_affected()).map_err(|error| service_error(&error))
    }

    async fn rows(&mut self, statement: &'static str, values: &[Param]) -> Result<Vec<Row>, ServiceError> {
        let rows = bound(statement, values).fetch_all(&mut *self.connection).await;
        rows.and_then(|rows| rows.iter().map(row).collect()).map_err(|error| service_error(&error))
    }

    async fn lock(&mut self, name: &str) -> Result<(), ServiceError> {
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended('candor ' || $1, 0))";
        self.execute(lock, &[name.into()]).await.map(drop)
    }

    fn undo(&mut self) {
        self.is_undone = true;
    }

    fn is_shared(&self) -> bool {
        true
    }
}

fn bound<'q>(statement: &'static str, values: &'q [Param]) -> Query<'q, Postgres, PgArguments> {
    values.iter().fold(query(statement), |query, value| match value {
        Param::Integer(number) => query.bind(number),
        Param::Text(text) => query.bind(text.as_deref()),
        Param::Bytes(bytes) => query.bind(bytes.as_deref()),
    })
}

/// Reads a row. The tables only have columns of these three types.
fn row(row: &PgRow) -> Result<Row, sqlx::Error> {
    let cell = |(index, column): (usize, &sqlx::postgres::PgColumn)| {
        Ok(match column.type_info().name() {
            "INT8" => row.try_get::<Option<i64>, _>(index)?.map_or(Cell::Null, Cell::Integer),
            "BYTEA" => row.try_get::<Option<Vec<u8>>, _>(index)?.map_or(Cell::Null, Cell::Bytes),
            _ => row.try_get::<Option<String>, _>(index)?.map_or(Cell::Null, Cell::Text),
        })
    };
    row.columns().iter().enumerate().map(cell).collect::<Result<_, _>>().map(Row::new)
}

/// Returns the cause of an error. The codes are in PostgreSQL's documentation, appendix A.
pub(super) fn cause(error: &sqlx::Error) -> Cause {
    match error {
        sqlx::Error::Database(error) => match error.code().as_deref() {
            Some("53100") => Cause::DiskFull,
            Some("58030") => Cause::Disk,
            Some("25006") => Cause::ReadOnly,
            Some("55P03" | "40P01") => Cause::Locked,
            Some("57014") => Cause::Late,
            Some("53300") => Cause::Crowded,
            Some("57P01" | "57P02" | "57P03") => Cause::Unreachable,
            Some("XX001" | "XX002") => Cause::Damaged,
            _ => Cause::Other,
        },
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) => Cause::Unreachable,
        sqlx::Error::PoolTimedOut => Cause::Late,
        sqlx::Error::PoolClosed => Cause::Closed,
        _ => Cause::Other,
    }
}

/// Returns the error for the store's callers.
pub(super) fn service_error(error: &sqlx::Error) -> ServiceError {
    cause(error).told(&error.to_string())
}
