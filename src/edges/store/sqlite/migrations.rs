//! The file's format, as a list of migrations. A released migration never changes; a change is a new one.

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{SqlSafeStr as _, SqlitePool};

/// What the first migration writes into the file's header.
pub(crate) const APPLICATION_ID: i64 = 0x4341_4E44;

/// Version, name and statements of each migration.
const STEPS: [(i64, &str, &str); 9] = [
    (1, "ledger", include_str!("migrations/0001_ledger.sql")),
    (2, "records", include_str!("migrations/0002_records.sql")),
    (3, "conversations", include_str!("migrations/0003_conversations.sql")),
    (4, "turns", include_str!("migrations/0004_turns.sql")),
    (5, "registrations", include_str!("migrations/0005_registrations.sql")),
    (6, "cooldowns", include_str!("migrations/0006_cooldowns.sql")),
    (7, "history", include_str!("migrations/0007_history.sql")),
    (8, "secrets", include_str!("migrations/0008_secrets.sql")),
    (9, "kept_answers", include_str!("migrations/0009_kept_answers.sql")),
];

/// The last version this program knows.
pub(crate) fn last_version() -> i64 {
    STEPS.iter().map(|(version, ..)| *version).max().unwrap_or_default()
}

/// Applies the migrations that the file does not have yet: all of them or none.
pub(crate) async fn run(writer: &SqlitePool) -> Result<(), MigrateError> {
    // sqlx takes no lock of its own for SQLite. The write lock keeps two processes that start at once from applying the
    // same migration.
    let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await?;
    migrator(&STEPS).run(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(())
}

/// Applies only the first migrations: a file as an older version of this program left it.
#[cfg(test)]
pub(crate) async fn run_first(writer: &SqlitePool, n_steps: usize) -> Result<(), MigrateError> {
    migrator(&STEPS[..n_steps]).run(writer).await
}

fn migrator(steps: &[(i64, &'static str, &'static str)]) -> Migrator {
    let migration = |&(version, name, statements): &(i64, &'static str, &'static str)| {
        Migration::new(version, name.into(), MigrationType::Simple, statements.into_sql_str(), false)
    };
    Migrator::with_migrations(steps.iter().map(migration).collect())
}
