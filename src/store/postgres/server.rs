//! The connections to the server.

use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnection, PgPoolOptions, Postgres};
use sqlx::{Connection as _, PgPool, raw_sql};
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use super::address::Address;
use super::connection::{ServerConnection, service_error};
use super::migrations::{self, MigrationError};
use super::open_error::ServerError;
use crate::sql::{Cause, TransactionFn};
use candor_core::contract::ServiceError;

/// How many connections one process opens. A command needs one for a few milliseconds. PostgreSQL's own default limit
/// is 100 for all its clients together.
const CONNECTIONS_MAX: u32 = 10;

/// How long a call waits for a connection.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a call may take once it has a connection. Longer than the server's own limit, because the server's error
/// states the reason.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// Limits the damage by a process that hangs while it holds a lock: waiting statements fail, and the server ends the
/// transaction. The statements are written for this isolation level, independent of the database's default.
const LIMITS: &str = "SET lock_timeout = '5s'; SET statement_timeout = '8s'; \
                      SET idle_in_transaction_session_timeout = '30s'; \
                      SET default_transaction_isolation = 'read committed'";

/// The same for a connection that only reads.
const ONLY_READS: &str = "SET lock_timeout = '5s'; SET statement_timeout = '8s'; \
                          SET idle_in_transaction_session_timeout = '30s'; \
                          SET default_transaction_isolation = 'read committed'; \
                          SET default_transaction_read_only = on";

#[derive(Debug)]
pub(crate) struct Server(PgPool);

impl Server {
    pub(crate) async fn open(address: &Address) -> Result<Self, ServerError> {
        let pool = connect(address, LIMITS).await?;
        let migrated = migrations::run(&pool).await;
        Self::checked(address, pool, migrated).await
    }

    /// Connects to a database that is a store of this version, without changing its format.
    pub(crate) async fn open_existing(address: &Address, may_write: bool) -> Result<Self, ServerError> {
        let pool = connect(address, if may_write { LIMITS } else { ONLY_READS }).await?;
        let checked = migrations::check(&pool).await;
        Self::checked(address, pool, checked).await
    }

    async fn checked(address: &Address, pool: PgPool, format: Result<(), MigrationError>) -> Result<Self, ServerError> {
        match format {
            Ok(()) => Ok(Self(pool)),
            Err(problem) => {
                pool.close().await;
                Err(ServerError::of_migration(&address.file, problem))
            }
        }
    }

    /// Runs work in a transaction and commits it.
    pub(crate) async fn write<T>(&self, work: TransactionFn<T>) -> Result<T, ServiceError> {
        let mut connection = self.connection().await?;
        let done = timeout(CALL_TIMEOUT, in_transaction(&mut connection, work)).await;
        ended(connection, done)
    }

    /// Runs work of one statement that only reads.
    pub(crate) async fn read<T>(&self, work: TransactionFn<T>) -> Result<T, ServiceError> {
        let mut connection = self.connection().await?;
        let mut reader = ServerConnection { connection: &mut connection, is_undone: false };
        let done = timeout(CALL_TIMEOUT, work(&mut reader)).await;
        ended(connection, done)
    }

    async fn connection(&self) -> Result<PoolConnection<Postgres>, ServiceError> {
        self.0.acquire().await.map_err(|error| service_error(&error))
    }

    /// Closes the connections. Later calls fail.
    pub(crate) async fn close(&self) {
        self.0.close().await;
    }
}

async fn connect(address: &Address, limits: &'static str) -> Result<PgPool, ServerError> {
    let pool = PgPoolOptions::new().max_connections(CONNECTIONS_MAX).acquire_timeout(TURN_TIMEOUT).after_connect(
        move |connection, _| Box::pin(async move { raw_sql(limits).execute(connection).await.map(drop) }),
    );
    let options = address.options.clone().application_name("candor");
    pool.connect_with(options).await.map_err(|error| ServerError::of(&address.file, &error))
}

async fn in_transaction<T>(connection: &mut PgConnection, work: TransactionFn<T>) -> Result<T, ServiceError> {
    let mut transaction = connection.begin().await.map_err(|error| service_error(&error))?;
    let mut connection = ServerConnection { connection: &mut transaction, is_undone: false };
    let result = work(&mut connection).await;
    let ended = match result.is_err() || connection.is_undone {
        true => transaction.rollback().await,
        false => transaction.commit().await,
    };
    match (result, ended) {
        (Ok(_), Err(error)) => Err(service_error(&error)),
        (result, _) => result,
    }
}

/// Returns the result of a call, and puts its connection back into the pool if it is usable.
fn ended<T>(
    connection: PoolConnection<Postgres>,
    done: Result<Result<T, ServiceError>, Elapsed>,
) -> Result<T, ServiceError> {
    done.unwrap_or_else(|_| {
        // Any request on this connection would wait for the missing response, even a clean close.
        drop(connection.detach());
        Err(Cause::Late.told(""))
    })
}
