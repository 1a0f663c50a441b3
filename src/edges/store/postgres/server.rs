//! The connections to the server.

use std::time::Duration;

use sqlx::postgres::PgPoolOptions;
use sqlx::{PgPool, raw_sql};

use super::address::Address;
use super::cause::service_error;
use super::connection::ServerConnection;
use super::migrations;
use super::open_error::ServerError;
use crate::edges::store::sql::Work;
use candor_core::contract::ServiceError;

/// How many connections one process opens. A command needs one for a few milliseconds; PostgreSQL's own limit is 100
/// for all its clients together.
const CONNECTIONS_MAX: u32 = 10;

/// How long a call waits for a connection.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);

/// What a process that hangs with a lock in hand may cost the others: whoever waits for it is told after a while, and
/// the server ends its transaction.
const LIMITS: &str = "SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '30s'";

/// The store in a PostgreSQL database.
#[derive(Debug)]
pub(crate) struct Server(PgPool);

impl Server {
    /// Connects, and migrates the database.
    pub(crate) async fn open(address: &Address) -> Result<Self, ServerError> {
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS_MAX)
            .acquire_timeout(TURN_TIMEOUT)
            .after_connect(|connection, _| Box::pin(async { raw_sql(LIMITS).execute(connection).await.map(drop) }));
        let options = address.options.clone().application_name("candor");
        let pool = pool.connect_with(options).await.map_err(|error| ServerError::of(&address.file, &error))?;
        match migrations::run(&pool).await {
            Ok(()) => Ok(Self(pool)),
            Err(problem) => {
                pool.close().await;
                Err(ServerError::of_migration(&address.file, problem))
            }
        }
    }

    /// Does work in a transaction, and commits what it did.
    pub(crate) async fn write<T>(&self, work: Work<T>) -> Result<T, ServiceError> {
        let mut transaction = self.0.begin().await.map_err(|error| service_error(&error))?;
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

    /// Does work of one statement that reads.
    pub(crate) async fn read<T>(&self, work: Work<T>) -> Result<T, ServiceError> {
        let mut connection = self.0.acquire().await.map_err(|error| service_error(&error))?;
        work(&mut ServerConnection { connection: &mut connection, is_undone: false }).await
    }

    /// Closes the connections. Later calls fail.
    pub(crate) async fn close(&self) {
        self.0.close().await;
    }
}
