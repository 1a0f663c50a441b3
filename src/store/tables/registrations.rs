//! The stored registration state of the commands at Discord.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::database::Database;
use crate::sql::{Param, Row};
use candor_core::contract::ServiceError;
use candor_core::inbound::GuildId;
use candor_core::registration::{Remembered, Scope, SyncMemory};

#[async_trait]
impl SyncMemory for Database {
    async fn remembered(&self, application: u64, scope: Scope) -> Result<Remembered, ServiceError> {
        let row = "SELECT fingerprint, day, creates, no_creates_until_ms, not_before_ms FROM registrations \
                   WHERE application = $1 AND scope = $2";
        let row = self.row(row, of(application, scope, [])).await?;
        row.map_or_else(|| Ok(Remembered::default()), remembered)
    }

    async fn guilds(&self, application: u64) -> Result<Vec<(GuildId, Remembered)>, ServiceError> {
        let rows = "SELECT scope, fingerprint, day, creates, no_creates_until_ms, not_before_ms FROM registrations \
                    WHERE application = $1 AND scope <> 0 ORDER BY scope";
        let rows = self.rows(rows, vec![application.into()]).await?;
        rows.into_iter().map(|mut row| Ok((GuildId(row.take()?), remembered(row)?))).collect()
    }

    async fn settle(&self, application: u64, scope: Scope, fingerprint: Option<&str>) -> Result<(), ServiceError> {
        let written = "INSERT INTO registrations (application, scope, fingerprint, used_ms) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT (application, scope) DO UPDATE SET fingerprint = excluded.fingerprint, \
                       used_ms = excluded.used_ms";
        self.execute(written, of(application, scope, [fingerprint.into(), SystemTime::now().into()])).await.map(drop)
    }

    async fn count_creates(&self, application: u64, scope: Scope, day: u64, n: usize) -> Result<(), ServiceError> {
        let written = "INSERT INTO registrations (application, scope, day, creates, used_ms) VALUES ($1, $2, $3, $4, $5) \
                       ON CONFLICT (application, scope) DO UPDATE SET day = excluded.day, creates = excluded.creates + \
                       CASE WHEN registrations.day = excluded.day THEN registrations.creates ELSE 0 END, \
                       used_ms = excluded.used_ms";
        self.execute(written, of(application, scope, [day.into(), n.into(), SystemTime::now().into()])).await.map(drop)
    }

    async fn stop_creates(&self, application: u64, scope: Scope, until: SystemTime) -> Result<(), ServiceError> {
        let written = "INSERT INTO registrations (application, scope, no_creates_until_ms, used_ms) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT (application, scope) DO UPDATE SET no_creates_until_ms = excluded.no_creates_until_ms, \
                       used_ms = excluded.used_ms";
        self.execute(written, of(application, scope, [until.into(), SystemTime::now().into()])).await.map(drop)
    }

    async fn hold(&self, application: u64, scope: Scope, until: SystemTime) -> Result<(), ServiceError> {
        let written = "INSERT INTO registrations (application, scope, not_before_ms, used_ms) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT (application, scope) DO UPDATE SET not_before_ms = excluded.not_before_ms, \
                       used_ms = excluded.used_ms";
        self.execute(written, of(application, scope, [until.into(), SystemTime::now().into()])).await.map(drop)
    }
}

/// Returns the values that every statement begins with, followed by more. No guild has the id 0.
fn of<const N: usize>(application: u64, scope: Scope, more: [Param; N]) -> Vec<Param> {
    let scope = match scope {
        Scope::Global => 0,
        Scope::Guild(guild) => guild.0,
    };
    [application.into(), scope.into()].into_iter().chain(more).collect()
}

fn remembered(mut row: Row) -> Result<Remembered, ServiceError> {
    Ok(Remembered {
        fingerprint: row.take()?,
        day: row.take()?,
        creates: usize::try_from(row.take::<i64>()?).unwrap_or_default(),
        no_creates_until: row.take()?,
        not_before: row.take()?,
    })
}
