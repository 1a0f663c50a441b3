//! The store in a PostgreSQL database, which several processes may share.
//!
//! Every operation is one transaction, and returns after its commit. If its outcome depends on concurrent operations,
//! it first takes a named lock (`pg_advisory_xact_lock`), which ends with the transaction.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions, PgRow, Postgres};
use sqlx::query::Query;
use sqlx::{
    Column as _, Connection as _, PgConnection, PgPool, Row as _, TypeInfo as _, query, query_as, query_scalar, raw_sql,
};
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use crate::sql::{Cause, Cell, Connection, FormatMismatch, Migration, Param, Row, TransactionFn, missing};
use candor_core::contract::ServiceError;

/// Longer than any real address; a longer file was named by mistake.
const ADDRESS_LENGTH_MAX: u64 = 8 * 1024;

/// The parameters that an address may have. The driver ignores any other, and logs it with its value.
const PARAMETERS: [&str; 12] = [
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "options",
    "statement-cache-capacity",
];

/// The address of a PostgreSQL database. It implements neither `Debug` nor `Display`, so that no log can hold it.
#[derive(Clone)]
pub struct Address {
    file: PathBuf,
    options: PgConnectOptions,
}

impl Address {
    /// Reads the address from a file that contains nothing else.
    pub fn read(file: &Path) -> Result<Self, ServerError> {
        let mut text = String::new();
        File::open(file)
            .and_then(|opened| opened.take(ADDRESS_LENGTH_MAX).read_to_string(&mut text))
            .map_err(|problem| ServerError::Unreadable { file: file.to_owned(), problem: problem.to_string() })?;
        let text = text.trim();
        // The error quotes no part of the address, not even the name of an unknown parameter: if the password contains
        // a `?` or an `&`, that name is a part of it. The driver only receives checked parameters.
        let no_address = || ServerError::NoAddress { file: file.to_owned() };
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(no_address());
        }
        if !parameters(text).all(|name| PARAMETERS.contains(&name)) {
            return Err(ServerError::UnknownParameter { file: file.to_owned(), known: PARAMETERS.join(", ") });
        }
        let options = PgConnectOptions::from_str(text).map_err(|_| no_address())?;
        Ok(Self { file: file.to_owned(), options })
    }
}

fn parameters(address: &str) -> impl Iterator<Item = &str> {
    let parameters = address.split_once('?').map_or("", |(_, parameters)| parameters);
    let named = parameters.split('&').filter(|parameter| !parameter.is_empty());
    named.map(|parameter| parameter.split_once('=').map_or(parameter, |(name, _)| name))
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Address(…)")
    }
}

/// One connection to the server, within a transaction.
struct ServerConnection<'a> {
    connection: &'a mut PgConnection,
    is_undone: bool,
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
fn cause(error: &sqlx::Error) -> Cause {
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
fn service_error(error: &sqlx::Error) -> ServiceError {
    cause(error).told(&error.to_string())
}

const STEPS: [Migration; 24] = [
    Migration { version: 1, name: "store", statements: include_str!("migrations/0001_store.sql") },
    Migration { version: 2, name: "claims_by_time", statements: include_str!("migrations/0002_claims_by_time.sql") },
    Migration { version: 3, name: "checkpoints", statements: include_str!("migrations/0003_checkpoints.sql") },
    Migration { version: 4, name: "intents", statements: include_str!("migrations/0004_intents.sql") },
    Migration { version: 5, name: "used_buttons", statements: include_str!("migrations/0005_used_buttons.sql") },
    Migration { version: 6, name: "open_replies", statements: include_str!("migrations/0006_open_replies.sql") },
    Migration { version: 7, name: "leases", statements: include_str!("migrations/0007_leases.sql") },
    Migration { version: 8, name: "conversations", statements: include_str!("migrations/0008_conversations.sql") },
    Migration { version: 9, name: "spending", statements: include_str!("migrations/0009_spending.sql") },
    Migration { version: 10, name: "logins", statements: include_str!("migrations/0010_logins.sql") },
    Migration { version: 11, name: "due_calls", statements: include_str!("migrations/0011_due_calls.sql") },
    Migration { version: 12, name: "due_answers", statements: include_str!("migrations/0012_due_answers.sql") },
    Migration { version: 13, name: "lessees", statements: include_str!("migrations/0013_lessees.sql") },
    Migration { version: 14, name: "bounds", statements: include_str!("migrations/0014_bounds.sql") },
    Migration { version: 15, name: "shared_words", statements: include_str!("migrations/0015_shared_words.sql") },
    Migration { version: 16, name: "unused_places", statements: include_str!("migrations/0016_unused_places.sql") },
    Migration { version: 17, name: "outbox", statements: include_str!("migrations/0017_outbox.sql") },
    Migration { version: 18, name: "summaries", statements: include_str!("migrations/0018_summaries.sql") },
    Migration { version: 19, name: "refusals", statements: include_str!("migrations/0019_refusals.sql") },
    Migration {
        version: 20,
        name: "receipts_by_start",
        statements: include_str!("migrations/0020_receipts_by_start.sql"),
    },
    Migration { version: 21, name: "due_refusals", statements: include_str!("migrations/0021_due_refusals.sql") },
    Migration { version: 22, name: "sessions", statements: include_str!("migrations/0022_sessions.sql") },
    Migration { version: 23, name: "heads", statements: include_str!("migrations/0023_heads.sql") },
    Migration { version: 24, name: "code", statements: include_str!("migrations/0024_code.sql") },
];

/// A migration has no time limit, and neither has the wait for another process that runs one.
const NO_LIMITS: &str = "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0";

/// Of two processes that start at once, one runs the migrations and the other waits. The number is "CAND" in ASCII.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1128353348)";

const TAKEN: &str = "CREATE TABLE candor_steps (
    version BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    checksum BYTEA NOT NULL,
    taken_at TIMESTAMPTZ NOT NULL DEFAULT now()
)";

/// Reasons why a database cannot be brought to this program's format.
#[derive(Debug)]
enum MigrationError {
    Format(FormatMismatch),
    Server(sqlx::Error),
}

impl From<sqlx::Error> for MigrationError {
    fn from(error: sqlx::Error) -> Self {
        Self::Server(error)
    }
}

fn last_version() -> i64 {
    STEPS.iter().map(|step| step.version).max().unwrap_or_default()
}

/// Runs all missing migrations, in one transaction.
async fn run(pool: &PgPool) -> Result<(), MigrationError> {
    let mut connection = pool.acquire().await?;
    let mut transaction = connection.begin().await?;
    raw_sql(NO_LIMITS).execute(&mut *transaction).await?;
    query(LOCK).execute(&mut *transaction).await?;
    let taken = taken(&mut transaction).await?;
    for step in missing(&STEPS, &taken).map_err(MigrationError::Format)? {
        raw_sql(step.statements).execute(&mut *transaction).await?;
        let done = query("INSERT INTO candor_steps (version, name, checksum) VALUES ($1, $2, $3)");
        done.bind(step.version).bind(step.name).bind(step.checksum()).execute(&mut *transaction).await?;
    }
    Ok(transaction.commit().await?)
}

async fn check(pool: &PgPool) -> Result<(), MigrationError> {
    let mut connection = pool.acquire().await?;
    let taken = if has_steps(&mut connection).await? { all_taken(&mut connection).await? } else { Vec::new() };
    match missing(&STEPS, &taken).map_err(MigrationError::Format)?.first() {
        None => Ok(()),
        Some(step) => Err(MigrationError::Format(FormatMismatch::Older(step.version))),
    }
}

async fn has_steps(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    query_scalar("SELECT to_regclass('candor_steps') IS NOT NULL").fetch_one(connection).await
}

async fn taken(connection: &mut PgConnection) -> Result<Vec<(i64, Vec<u8>)>, sqlx::Error> {
    if !has_steps(&mut *connection).await? {
        query(TAKEN).execute(&mut *connection).await?;
    }
    all_taken(connection).await
}

async fn all_taken(connection: &mut PgConnection) -> Result<Vec<(i64, Vec<u8>)>, sqlx::Error> {
    query_as("SELECT version, checksum FROM candor_steps ORDER BY version").fetch_all(connection).await
}

/// Reasons why the database cannot be used. Each message names the file that holds its address and tells the operator
/// what to do.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error(
        "the address file `{}` cannot be read ({problem}): check the path in `[store] url_file` and who may read the \
         file",
        file.display()
    )]
    Unreadable { file: PathBuf, problem: String },
    #[error(
        "the address file `{}` holds no address of a PostgreSQL database: write one line into it, such as \
         `postgres://USER:PASSWORD@HOST/DATABASE`",
        file.display()
    )]
    NoAddress { file: PathBuf },
    /// The address has a parameter that the driver would ignore.
    #[error(
        "the address in the file `{}` has a parameter that is not known. Known are {known}; in a user or a password, write \
         `?` as `%3F` and `&` as `%26`",
        file.display()
    )]
    UnknownParameter { file: PathBuf, known: String },
    #[error(
        "the database of `{}` does not let this program in: {problem}. Check user, password and database in the \
         address, and what this user may do there",
        file.display()
    )]
    Refused { file: PathBuf, problem: String },
    #[error(
        "the database of `{}` was made by a newer version of candor: it has format {found}, and this version knows \
         formats up to {known}. Run the newer version, or restore a backup from before the update",
        file.display()
    )]
    Newer {
        file: PathBuf,
        /// The first format that this version does not know.
        found: i64,
        /// The last format that this version knows.
        known: i64,
    },
    /// The database is empty or was made by an older version of candor, and only a start changes its format.
    #[error(
        "the database of `{}` is empty or was made by an older version of candor: it lacks format {lacks}. Start the bot \
         of this version once, which brings it up to date",
        file.display()
    )]
    Older { file: PathBuf, lacks: i64 },
    /// The database was made by another build of candor, with a different format.
    #[error(
        "the database of `{}` was made by a different build of candor: its format {found} is not this version's. Run \
         the build that made it, or name another database in the address",
        file.display()
    )]
    OtherBuild { file: PathBuf, found: i64 },
    #[error(
        "the database of `{}` has tables of another program: {problem}. Nothing in it was changed. Name a database of \
         its own in the address",
        file.display()
    )]
    AnotherProgram { file: PathBuf, problem: String },
    /// The server cannot be reached, or failed.
    #[error(
        "the database of `{}` cannot be used: {problem}. Check that the server runs and can be reached from here, and \
         start again",
        file.display()
    )]
    Failed { file: PathBuf, problem: String },
}

impl ServerError {
    /// Returns the exit code of `sysexits.h`: 78 if only the operator can repair the problem, 69 if the same start may
    /// succeed later.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Unreadable { .. }
            | Self::NoAddress { .. }
            | Self::UnknownParameter { .. }
            | Self::Refused { .. }
            | Self::Older { .. }
            | Self::Newer { .. }
            | Self::OtherBuild { .. }
            | Self::AnotherProgram { .. } => 78,
            Self::Failed { .. } => 69,
        }
    }

    /// Converts an error of a connection or a statement during opening. The codes are in PostgreSQL's documentation,
    /// appendix A: 28 is authorization, 3D000 a database that does not exist, 42501 a missing right, 42P07 a table that
    /// exists.
    fn of(file: &Path, error: &sqlx::Error) -> Self {
        let file = file.to_owned();
        let sqlx::Error::Database(told) = error else {
            let problem = if cause(error) == Cause::Late { "it does not answer".to_owned() } else { error.to_string() };
            return Self::Failed { file, problem };
        };
        let problem = told.message().to_owned();
        match told.code().as_deref() {
            Some("3D000" | "42501") => Self::Refused { file, problem },
            Some(code) if code.starts_with("28") => Self::Refused { file, problem },
            Some("42P07") => Self::AnotherProgram { file, problem },
            _ => Self::Failed { file, problem },
        }
    }

    fn of_migration(file: &Path, error: MigrationError) -> Self {
        let named = file.to_owned();
        match error {
            MigrationError::Server(error) => Self::of(file, &error),
            MigrationError::Format(FormatMismatch::Older(lacks)) => Self::Older { file: named, lacks },
            MigrationError::Format(FormatMismatch::Newer(found)) => {
                Self::Newer { file: named, found, known: last_version() }
            }
            MigrationError::Format(FormatMismatch::Other(found)) => Self::OtherBuild { file: named, found },
        }
    }
}

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
        let migrated = run(&pool).await;
        Self::checked(address, pool, migrated).await
    }

    /// Connects to a database that is a store of this version, without changing its format.
    pub(crate) async fn open_existing(address: &Address, may_write: bool) -> Result<Self, ServerError> {
        let pool = connect(address, if may_write { LIMITS } else { ONLY_READS }).await?;
        let checked = check(&pool).await;
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
