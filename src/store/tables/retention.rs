//! Deletes data past its retention period.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::database::Database;
use crate::sql::Connection;
use crate::tables::commands::chain::ReceiptKind;
use crate::tables::queues::places;
use crate::tables::records::remove_scope;
use crate::tables::samples::remove_unused_layouts;
use candor_core::contract::ServiceError;
use candor_core::inbound::Place;
use candor_engine::{Aging, Retention, TrustedTime};

/// Rows removed in one transaction: other writers wait for it.
const REMOVED_AT_ONCE: usize = 100;

/// Names of the numbers in `sequences` that hold the trusted time. The second one exists only while the clock is not
/// trusted.
const TRUSTED: &str = "trusted_ms";
const HELD: &str = "held_ms";

#[async_trait]
impl Retention for Database {
    async fn remove_old(&self, what: Aging, before: SystemTime, now: SystemTime) -> Result<usize, ServiceError> {
        let old = match what {
            Aging::Receipts => return self.remove_receipts(ReceiptKind::Called, before, now).await,
            Aging::Refreshes => return self.remove_receipts(ReceiptKind::Refreshed, before, now).await,
            Aging::Scopes => {
                return self.write(move |connection| Box::pin(remove_scopes(connection, before))).await;
            }
            Aging::Exchanges => {
                "DELETE FROM exchanges WHERE position IN \
                 (SELECT position FROM exchanges WHERE said_ms < $1 ORDER BY said_ms LIMIT $2)"
            }
            Aging::Summaries => {
                "DELETE FROM summaries WHERE (place, \"user\") IN \
                 (SELECT place, \"user\" FROM summaries WHERE since_ms < $1 ORDER BY since_ms LIMIT $2)"
            }
            // Deletes their messages too.
            Aging::Turns => {
                "DELETE FROM turns WHERE number IN \
                 (SELECT number FROM turns WHERE at_ms < $1 ORDER BY at_ms LIMIT $2)"
            }
            Aging::Answers => {
                "DELETE FROM kept_answers WHERE number IN \
                 (SELECT number FROM kept_answers WHERE kept_ms < $1 ORDER BY kept_ms LIMIT $2)"
            }
            Aging::Spending => {
                "DELETE FROM spending WHERE (day_ms, subject) IN \
                 (SELECT day_ms, subject FROM spending WHERE day_ms < $1 ORDER BY day_ms LIMIT $2)"
            }
            Aging::Claims => {
                "DELETE FROM claims WHERE event IN \
                 (SELECT event FROM claims WHERE claimed_ms < $1 ORDER BY claimed_ms LIMIT $2)"
            }
            Aging::Samples => {
                "DELETE FROM samples WHERE at_ms IN (SELECT at_ms FROM samples WHERE at_ms < $1 ORDER BY at_ms LIMIT $2)"
            }
            Aging::Logins => {
                "DELETE FROM logins WHERE at_ms IN (SELECT at_ms FROM logins WHERE at_ms < $1 ORDER BY at_ms LIMIT $2)"
            }
            Aging::Leases => {
                "DELETE FROM leases WHERE name IN \
                 (SELECT name FROM leases WHERE until_ms < $1 ORDER BY until_ms LIMIT $2)"
            }
            Aging::Conversations => {
                "DELETE FROM conversations WHERE (place, \"user\") IN \
                 (SELECT place, \"user\" FROM conversations WHERE used_ms < $1 ORDER BY used_ms LIMIT $2)"
            }
            Aging::ChosenModels => {
                "DELETE FROM chosen_models WHERE (place, \"user\") IN \
                 (SELECT place, \"user\" FROM chosen_models WHERE used_ms < $1 ORDER BY used_ms LIMIT $2)"
            }
            Aging::Registrations => {
                "DELETE FROM registrations WHERE (application, scope) IN \
                 (SELECT application, scope FROM registrations WHERE used_ms < $1 ORDER BY used_ms LIMIT $2)"
            }
        };
        let removed = self.write(move |connection| {
            Box::pin(async move {
                // One of several processes removes, and the others find nothing. Without the lock they could deadlock
                // on rows.
                connection.lock("retention").await?;
                let removed = connection.execute(old, &[before.into(), REMOVED_AT_ONCE.into()]).await?;
                if what == Aging::Samples && 0 < removed {
                    remove_unused_layouts(connection).await?;
                }
                Ok(removed)
            })
        });
        Ok(usize::try_from(removed.await?).unwrap_or(usize::MAX))
    }

    async fn empty_log(&self) {
        Self::empty_log(self).await;
    }

    async fn added(&self, what: Aging, since: SystemTime) -> Result<u64, ServiceError> {
        let added = match what {
            Aging::Receipts => "SELECT count(*) FROM receipts WHERE origin <> 'refreshed' AND started_ms >= $1",
            Aging::Refreshes => "SELECT count(*) FROM receipts WHERE origin = 'refreshed' AND started_ms >= $1",
            Aging::Exchanges => "SELECT count(*) FROM exchanges WHERE said_ms >= $1",
            Aging::Summaries => "SELECT count(*) FROM summaries WHERE since_ms >= $1",
            Aging::Turns => "SELECT count(*) FROM turns WHERE at_ms >= $1",
            Aging::Answers => "SELECT count(*) FROM kept_answers WHERE kept_ms >= $1",
            // The rows of a day are added over the day, and all expire at once.
            Aging::Spending => "SELECT count(*) FROM spending WHERE day_ms >= $1 - 86400000",
            Aging::Claims => "SELECT count(*) FROM claims WHERE claimed_ms >= $1",
            Aging::Samples => "SELECT count(*) FROM samples WHERE at_ms >= $1",
            Aging::Conversations => "SELECT count(*) FROM conversations WHERE used_ms >= $1",
            Aging::ChosenModels => "SELECT count(*) FROM chosen_models WHERE used_ms >= $1",
            Aging::Scopes => "SELECT count(*) FROM record_scopes WHERE used_ms >= $1",
            // Few rows: even the minimum that is removed at once exceeds the rows added.
            Aging::Logins | Aging::Leases | Aging::Registrations => return Ok(0),
        };
        self.row(added, vec![since.into()]).await?.map_or(Ok(0), |mut row| row.take())
    }

    async fn unused_places(&self, before: SystemTime) -> Result<Vec<Place>, ServiceError> {
        if self.is_on_a_server() {
            return Ok(Vec::new());
        }
        let rows = self.rows(places::UNUSED, vec![before.into(), REMOVED_AT_ONCE.into()]).await?;
        let keys: Vec<String> = rows.into_iter().map(|mut row| row.take()).collect::<Result<_, _>>()?;
        Ok(keys.iter().filter_map(|key| Place::from_key(key)).collect())
    }

    async fn forget_place(&self, place: Place, before: SystemTime) -> Result<bool, ServiceError> {
        Ok(0 < self.execute(places::FORGET_UNUSED, vec![place.key().into(), before.into()]).await?)
    }

    async fn place_stays(&self, place: Place, now: SystemTime) -> Result<(), ServiceError> {
        self.execute(places::STAYS, vec![now.into(), place.key().into()]).await.map(drop)
    }

    async fn trusted_time(&self) -> Result<Option<TrustedTime>, ServiceError> {
        let kept = "SELECT last FROM sequences WHERE name = $1";
        let Some(mut trusted) = self.row(kept, vec![TRUSTED.into()]).await? else { return Ok(None) };
        let held = self.row(kept, vec![HELD.into()]).await?.map(|mut row| row.take::<u64>()).transpose()?;
        Ok(Some(TrustedTime { at: trusted.take()?, held: held.map(Duration::from_millis) }))
    }

    async fn keep_trusted_time(&self, trusted: TrustedTime) -> Result<(), ServiceError> {
        self.write(move |connection| {
            Box::pin(async move {
                let kept = "INSERT INTO sequences (name, last) VALUES ($1, $2) \
                            ON CONFLICT (name) DO UPDATE SET last = excluded.last";
                connection.execute(kept, &[TRUSTED.into(), trusted.at.into()]).await?;
                match trusted.held {
                    None => connection.execute("DELETE FROM sequences WHERE name = $1", &[HELD.into()]).await,
                    Some(held) => {
                        let held = i64::try_from(held.as_millis()).unwrap_or(i64::MAX);
                        connection.execute(kept, &[HELD.into(), held.into()]).await
                    }
                }
            })
        })
        .await
        .map(drop)
    }
}

/// Removes scopes that have no records and reserved no number for long, and returns how many. None of their numbers is
/// used again.
async fn remove_scopes(connection: &mut dyn Connection, before: SystemTime) -> Result<usize, ServiceError> {
    connection.lock("retention").await?;
    let empty = "SELECT module, scope FROM record_scopes WHERE used_ms < $1 AND scope <> '' AND NOT EXISTS \
                 (SELECT 1 FROM records WHERE records.module = record_scopes.module \
                 AND records.scope = record_scopes.scope) ORDER BY used_ms LIMIT $2";
    let empty = connection.rows(empty, &[before.into(), REMOVED_AT_ONCE.into()]).await?;
    let n_scopes = empty.len();
    for mut row in empty {
        let module: String = row.take()?;
        let scope: String = row.take()?;
        remove_scope(connection, &module, &scope).await?;
    }
    Ok(n_scopes)
}
