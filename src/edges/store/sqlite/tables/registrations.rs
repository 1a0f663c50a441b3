//! The stored state of the commands at Discord.

use std::time::SystemTime;

use async_trait::async_trait;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, query};

use crate::edges::store::sqlite::Sqlite;
use crate::edges::store::sqlite::columns::{id, id_column, time, time_column};
use candor_core::contract::ServiceError;
use candor_core::inbound::GuildId;
use candor_core::registration::{Remembered, Scope, SyncMemory};

#[async_trait]
impl SyncMemory for Sqlite {
    async fn remembered(&self, application: u64, scope: Scope) -> Result<Remembered, ServiceError> {
        let row = query("SELECT * FROM registrations WHERE application = ? AND scope = ?");
        let row = row.bind(id_column(application)).bind(scope_column(scope));
        Ok(self.read_one(row, remembered).await?.unwrap_or_default())
    }

    async fn guilds(&self, application: u64) -> Result<Vec<(GuildId, Remembered)>, ServiceError> {
        let rows = query("SELECT * FROM registrations WHERE application = ? AND scope <> 0 ORDER BY rowid");
        let known = |row: &SqliteRow| Ok((GuildId(id(row.try_get("scope")?)), remembered(row)?));
        self.read_all(rows.bind(id_column(application)), known).await
    }

    async fn settle(&self, application: u64, scope: Scope, fingerprint: Option<&str>) -> Result<(), ServiceError> {
        let written = query(
            "INSERT INTO registrations (application, scope, fingerprint) VALUES (?1, ?2, ?3) \
             ON CONFLICT (application, scope) DO UPDATE SET fingerprint = ?3",
        );
        self.write(written.bind(id_column(application)).bind(scope_column(scope)).bind(fingerprint)).await.map(drop)
    }

    async fn count_creates(&self, application: u64, scope: Scope, day: u64, n: usize) -> Result<(), ServiceError> {
        let written = query(
            "INSERT INTO registrations (application, scope, day, creates) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT (application, scope) DO UPDATE SET \
             creates = CASE WHEN day = ?3 THEN creates + ?4 ELSE ?4 END, day = ?3",
        );
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        let written = written.bind(id_column(application)).bind(scope_column(scope)).bind(day.cast_signed()).bind(n);
        self.write(written).await.map(drop)
    }

    async fn stop_creates(&self, application: u64, scope: Scope, until: SystemTime) -> Result<(), ServiceError> {
        let written = query(
            "INSERT INTO registrations (application, scope, no_creates_until_ms) VALUES (?1, ?2, ?3) \
             ON CONFLICT (application, scope) DO UPDATE SET no_creates_until_ms = ?3",
        );
        let written = written.bind(id_column(application)).bind(scope_column(scope)).bind(time_column(until));
        self.write(written).await.map(drop)
    }

    async fn hold(&self, application: u64, scope: Scope, until: SystemTime) -> Result<(), ServiceError> {
        let written = query(
            "INSERT INTO registrations (application, scope, not_before_ms) VALUES (?1, ?2, ?3) \
             ON CONFLICT (application, scope) DO UPDATE SET not_before_ms = ?3",
        );
        let written = written.bind(id_column(application)).bind(scope_column(scope)).bind(time_column(until));
        self.write(written).await.map(drop)
    }
}

/// No guild has the id 0.
fn scope_column(scope: Scope) -> i64 {
    match scope {
        Scope::Global => 0,
        Scope::Guild(guild) => id_column(guild.0),
    }
}

fn remembered(row: &SqliteRow) -> Result<Remembered, sqlx::Error> {
    Ok(Remembered {
        fingerprint: row.try_get("fingerprint")?,
        day: row.try_get::<i64, _>("day")?.cast_unsigned(),
        creates: usize::try_from(row.try_get::<i64, _>("creates")?).unwrap_or_default(),
        no_creates_until: row.try_get::<Option<i64>, _>("no_creates_until_ms")?.map(time),
        not_before: row.try_get::<Option<i64>, _>("not_before_ms")?.map(time),
    })
}
