//! Finds work that processes left open when they ended, in any table.

use std::time::SystemTime;

use tracing::error;

use crate::database::Database;
use crate::sql::Row;
use candor_core::contract::ServiceError;
use candor_core::inbound::EventId;
use candor_engine::LeftOpen;

const AT_ONCE: usize = 100;

/// Prefix of the name of the lease that shows that a process lives; the process's number follows.
pub(super) const LIVING: &str = "process ";

/// Builds a statement that selects these columns, the event first, of the rows left open in a table. On a file, the
/// rows of ended processes have no lessee once a later process noticed the end. On a server, their lessee has no valid
/// lease.
macro_rules! left_open {
    ($table:literal, $time:literal, $columns:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM ",
            $table,
            " WHERE event > $1 AND (",
            $time,
            " < $2 OR ($3 = CAST(0 AS BIGINT) AND lessee IS NULL) OR ($3 = CAST(1 AS BIGINT) AND lessee <> $4 AND NOT \
             EXISTS (SELECT 1 FROM leases WHERE leases.name = 'process ' || CAST(",
            $table,
            ".lessee AS TEXT) AND leases.until_ms - $5 BETWEEN 1 AND 3600000))) ORDER BY event LIMIT $6"
        )
    };
}

pub(super) use left_open;

impl Database {
    /// Returns the first rows left open. `select` is built by [`left_open`]; `forget` takes the event. A row that
    /// cannot be read is deleted, because it would block the others for ever.
    pub(super) async fn left_open<T>(
        &self,
        (select, forget): (&'static str, &'static str),
        LeftOpen { now, longest, mut after }: LeftOpen,
        read: fn(EventId, Row) -> Result<T, ServiceError>,
    ) -> Result<Vec<T>, ServiceError> {
        self.look_whether_alone().await?;
        // A process that is alone compares no times: the clock may have been set since.
        let (ends, old) = match (self.was_alone_on_file(), self.is_on_a_server()) {
            (true, _) => (0_i64, i64::MIN.into()),
            (false, true) => (1, old(now, longest).into()),
            (false, false) => (2, old(now, longest).into()),
        };
        loop {
            let first = after.map_or(i64::MIN, |event| event.0.cast_signed());
            let me = self.lessee;
            let old = Clone::clone(&old);
            let values = vec![first.into(), old, ends.into(), me.into(), now.into(), AT_ONCE.into()];
            let rows = self.rows(select, values).await?;
            let n_rows = rows.len();
            let mut found = Vec::new();
            for mut row in rows {
                let event = EventId(row.take()?);
                after = Some(event);
                match read(event, row) {
                    Ok(open) => found.push(open),
                    Err(problem) => {
                        error!(event.id = %event.0, error = %problem, "unreadable work of an ended process was removed");
                        self.execute(forget, vec![event.0.into()]).await?;
                    }
                }
            }
            if n_rows == 0 || !found.is_empty() {
                return Ok(found);
            }
        }
    }
}

/// Returns the time before which work that began cannot be under way any more.
fn old(now: SystemTime, longest: std::time::Duration) -> SystemTime {
    now.checked_sub(longest).unwrap_or(SystemTime::UNIX_EPOCH)
}
