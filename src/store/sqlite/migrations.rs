//! The file's format, as a list of migrations. A released migration never changes; a change is a new one.

use rusqlite::TransactionBehavior;

use crate::sql::{FormatMismatch, Migration, missing};

/// The application id that the first migration writes into the file's header.
pub(super) const APPLICATION_ID: i64 = 0x4341_4E44;

pub(super) const STEPS: [Migration; 33] = [
    Migration { version: 1, name: "ledger", statements: include_str!("migrations/0001_ledger.sql") },
    Migration { version: 2, name: "records", statements: include_str!("migrations/0002_records.sql") },
    Migration { version: 3, name: "conversations", statements: include_str!("migrations/0003_conversations.sql") },
    Migration { version: 4, name: "turns", statements: include_str!("migrations/0004_turns.sql") },
    Migration { version: 5, name: "registrations", statements: include_str!("migrations/0005_registrations.sql") },
    Migration { version: 6, name: "cooldowns", statements: include_str!("migrations/0006_cooldowns.sql") },
    Migration { version: 7, name: "history", statements: include_str!("migrations/0007_history.sql") },
    Migration { version: 8, name: "secrets", statements: include_str!("migrations/0008_secrets.sql") },
    Migration { version: 9, name: "kept_answers", statements: include_str!("migrations/0009_kept_answers.sql") },
    Migration { version: 10, name: "sequences", statements: include_str!("migrations/0010_sequences.sql") },
    Migration { version: 11, name: "claims_by_time", statements: include_str!("migrations/0011_claims_by_time.sql") },
    Migration { version: 12, name: "checkpoints", statements: include_str!("migrations/0012_checkpoints.sql") },
    Migration { version: 13, name: "intents", statements: include_str!("migrations/0013_intents.sql") },
    Migration { version: 14, name: "used_buttons", statements: include_str!("migrations/0014_used_buttons.sql") },
    Migration { version: 15, name: "open_replies", statements: include_str!("migrations/0015_open_replies.sql") },
    Migration { version: 16, name: "leases", statements: include_str!("migrations/0016_leases.sql") },
    Migration { version: 17, name: "conversations", statements: include_str!("migrations/0017_conversations.sql") },
    Migration { version: 18, name: "spending", statements: include_str!("migrations/0018_spending.sql") },
    Migration { version: 19, name: "logins", statements: include_str!("migrations/0019_logins.sql") },
    Migration { version: 20, name: "due_calls", statements: include_str!("migrations/0020_due_calls.sql") },
    Migration { version: 21, name: "due_answers", statements: include_str!("migrations/0021_due_answers.sql") },
    Migration { version: 22, name: "lessees", statements: include_str!("migrations/0022_lessees.sql") },
    Migration { version: 23, name: "bounds", statements: include_str!("migrations/0023_bounds.sql") },
    Migration { version: 24, name: "shared_words", statements: include_str!("migrations/0024_shared_words.sql") },
    Migration { version: 25, name: "unused_places", statements: include_str!("migrations/0025_unused_places.sql") },
    Migration { version: 26, name: "outbox", statements: include_str!("migrations/0026_outbox.sql") },
    Migration { version: 27, name: "summaries", statements: include_str!("migrations/0027_summaries.sql") },
    Migration { version: 28, name: "refusals", statements: include_str!("migrations/0028_refusals.sql") },
    Migration {
        version: 29,
        name: "receipts_by_start",
        statements: include_str!("migrations/0029_receipts_by_start.sql"),
    },
    Migration { version: 30, name: "due_refusals", statements: include_str!("migrations/0030_due_refusals.sql") },
    Migration { version: 31, name: "sessions", statements: include_str!("migrations/0031_sessions.sql") },
    Migration { version: 32, name: "heads", statements: include_str!("migrations/0032_heads.sql") },
    Migration { version: 33, name: "code", statements: include_str!("migrations/0033_code.sql") },
];

/// The migrations that a file has. The table's name comes from the library of the first versions.
const TAKEN: &str = "CREATE TABLE IF NOT EXISTS _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
)";

/// Reasons why a file cannot be brought to this program's format.
#[derive(Debug)]
pub(super) enum MigrationError {
    Format(FormatMismatch),
    /// The schema differs from the one that the migrations make. Contains a description.
    Schema(String),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for MigrationError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

pub(super) fn last_version() -> i64 {
    STEPS.iter().map(|step| step.version).max().unwrap_or_default()
}

/// Runs all missing migrations, in one transaction.
pub(super) fn run(writer: &mut rusqlite::Connection) -> Result<(), MigrationError> {
    run_steps(writer, &STEPS)
}

/// Runs these migrations. With only the first ones, the file is as an older version of this program left it.
pub(super) fn run_steps(writer: &mut rusqlite::Connection, steps: &[Migration]) -> Result<(), MigrationError> {
    // The write lock keeps two processes that start at once from running the same migration.
    let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(TAKEN)?;
    let taken = taken(&transaction)?;
    for step in missing(steps, &taken).map_err(MigrationError::Format)? {
        transaction.execute_batch(step.statements)?;
        let done = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                    VALUES (?, ?, TRUE, ?, 0)";
        transaction.execute(done, (step.version, step.name, step.checksum()))?;
    }
    Ok(transaction.commit()?)
}

/// Checks that the file has the format of this program. An empty file has no migrations.
pub(super) fn check(connection: &rusqlite::Connection) -> Result<(), MigrationError> {
    match missing(&STEPS, &taken_if_any(connection)?).map_err(MigrationError::Format)?.first() {
        None => Ok(()),
        Some(step) => Err(MigrationError::Format(FormatMismatch::Older(step.version))),
    }
}

/// Returns the migrations that a file has. The file may be empty.
pub(super) fn taken_if_any(connection: &rusqlite::Connection) -> rusqlite::Result<Vec<(i64, Vec<u8>)>> {
    let has_steps = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations')";
    if connection.query_row(has_steps, [], |row| row.get(0))? { taken(connection) } else { Ok(Vec::new()) }
}

fn taken(transaction: &rusqlite::Connection) -> rusqlite::Result<Vec<(i64, Vec<u8>)>> {
    let mut rows = transaction.prepare("SELECT version, checksum FROM _sqlx_migrations ORDER BY version")?;
    rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}
