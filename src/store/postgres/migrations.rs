//! The database's format, as a list of migrations. A released migration never changes; a change is a new one.

use sqlx::{Connection as _, PgConnection, PgPool, query, query_as, query_scalar, raw_sql};

use crate::sql::{FormatMismatch, Migration, missing};

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
pub(super) enum MigrationError {
    Format(FormatMismatch),
    Server(sqlx::Error),
}

impl From<sqlx::Error> for MigrationError {
    fn from(error: sqlx::Error) -> Self {
        Self::Server(error)
    }
}

pub(super) fn last_version() -> i64 {
    STEPS.iter().map(|step| step.version).max().unwrap_or_default()
}

/// Runs all missing migrations, in one transaction.
pub(super) async fn run(pool: &PgPool) -> Result<(), MigrationError> {
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

pub(super) async fn check(pool: &PgPool) -> Result<(), MigrationError> {
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
