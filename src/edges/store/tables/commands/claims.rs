//! Claims: each event is claimed once, so that it runs once however often it is delivered.

use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use tracing::warn;

use crate::edges::store::database::Database;
use crate::edges::store::sql::Connection;
use candor_core::contract::ServiceError;
use candor_core::inbound::EventId;

/// Discord delivers an event again within minutes, if at all.
const CLAIMS_KEPT: Duration = Duration::from_hours(24);

/// Old claims are removed at every so many claims of this process, the first included.
const CLAIMS_BETWEEN_REMOVALS: u64 = 100;

/// Old claims removed at once: twice as many as come in between, so that they grow fewer. A caller waits for it, and a
/// clock that jumps ahead makes all of them old.
const CLAIMS_REMOVED_MAX: i64 = 200;

/// Releases a claim.
pub(super) const RELEASE: &str = "DELETE FROM claims WHERE event = $1";

/// Claims an event, unless it was claimed before.
pub(super) async fn claim(
    connection: &mut dyn Connection,
    event: EventId,
    at: SystemTime,
) -> Result<bool, ServiceError> {
    let claim = "INSERT INTO claims (event, claimed_ms) VALUES ($1, $2) ON CONFLICT (event) DO NOTHING";
    Ok(connection.execute(claim, &[event.0.into(), at.into()]).await? == 1)
}

/// Removes the oldest claims.
async fn remove_claims(connection: &mut dyn Connection, oldest_kept: SystemTime) -> Result<(), ServiceError> {
    let old = match connection.is_shared() {
        false => {
            "DELETE FROM claims WHERE event IN \
             (SELECT event FROM claims WHERE claimed_ms < $1 ORDER BY claimed_ms LIMIT $2)"
        }
        true => {
            "DELETE FROM claims WHERE event IN \
             (SELECT event FROM claims WHERE claimed_ms < $1 ORDER BY claimed_ms LIMIT $2 FOR UPDATE SKIP LOCKED)"
        }
    };
    connection.execute(old, &[oldest_kept.into(), CLAIMS_REMOVED_MAX.into()]).await.map(drop)
}

impl Database {
    /// Counts a claim, and removes old ones now and then. The claim stands whatever becomes of them: a failure is only
    /// logged.
    pub(super) async fn count_claim(&self, now: SystemTime) {
        if !self.n_claims.fetch_add(1, Ordering::Relaxed).is_multiple_of(CLAIMS_BETWEEN_REMOVALS) {
            return;
        }
        let oldest_kept = now.checked_sub(CLAIMS_KEPT).unwrap_or(SystemTime::UNIX_EPOCH);
        let removed = self.write(move |connection| Box::pin(remove_claims(connection, oldest_kept))).await;
        if let Err(problem) = removed {
            warn!(error = %problem, "old claims could not be removed");
        }
    }
}
