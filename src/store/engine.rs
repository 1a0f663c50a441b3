//! The engine of a store: an SQLite file or a PostgreSQL database.

#[cfg(feature = "postgres")]
use crate::postgres::Server;
use crate::sql::TransactionFn;
use crate::sqlite::SqliteFile;
use candor_core::contract::ServiceError;

/// The engine of a store.
///
/// The futures of PostgreSQL are boxed: they take about 4 KiB, and otherwise every store operation and every command
/// would be as large, on SQLite too.
#[derive(Debug)]
pub(super) enum Engine {
    File(SqliteFile),
    /// A PostgreSQL database, which other processes may use at the same time.
    #[cfg(feature = "postgres")]
    Server(Server),
}

impl Engine {
    pub(super) fn is_a_server(&self) -> bool {
        match self {
            Self::File(_) => false,
            #[cfg(feature = "postgres")]
            Self::Server(_) => true,
        }
    }

    /// Writes everything to the disk and closes the store.
    pub(super) async fn close(&self) {
        match self {
            Self::File(file) => file.close().await,
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.close().await,
        }
    }

    /// Removes deleted data from the write-ahead log of a file. A server manages its own log.
    pub(super) async fn empty_log(&self) {
        match self {
            Self::File(file) => file.empty_log().await,
            #[cfg(feature = "postgres")]
            Self::Server(_) => {}
        }
    }

    pub(super) async fn write<T: Send + 'static>(&self, work: TransactionFn<T>) -> Result<T, ServiceError> {
        match self {
            Self::File(file) => file.write(work).await,
            #[cfg(feature = "postgres")]
            Self::Server(server) => Box::pin(server.write(work)).await,
        }
    }

    pub(super) async fn read<T: Send + 'static>(&self, work: TransactionFn<T>) -> Result<T, ServiceError> {
        match self {
            Self::File(file) => file.read(work).await,
            #[cfg(feature = "postgres")]
            Self::Server(server) => Box::pin(server.read(work)).await,
        }
    }
}
