//! The users of each direct message and of the console.
//!
//! What is kept in such a place is a person's own if nobody else was there. Receipts cannot say so for as long as files
//! and records of the place are kept.

use std::time::SystemTime;

use crate::edges::store::sql::Connection;
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;

/// Whose places these are and nobody else's.
pub(in crate::edges::store::tables) const OWN: &str = "SELECT place FROM direct_places WHERE \"user\" = $1 AND NOT EXISTS \
                              (SELECT 1 FROM direct_places AS others \
                              WHERE others.place = direct_places.place AND others.\"user\" <> $1) ORDER BY place";

/// Forgets who used the bot in a place.
pub(in crate::edges::store::tables) const FORGET: &str = "DELETE FROM direct_places WHERE place = $1";

/// Where somebody has not used the bot since a moment, first what is the longest ago.
pub(in crate::edges::store::tables) const UNUSED: &str =
    "SELECT place FROM direct_places WHERE used_ms < $1 ORDER BY used_ms LIMIT $2";

/// Forgets who used the bot in a place, unless somebody has used it since a moment, or a module keeps records there or
/// has given out a number. A person's own records say themselves whose they are.
pub(in crate::edges::store::tables) const FORGET_UNUSED: &str = "DELETE FROM direct_places WHERE place = $1 \
    AND NOT EXISTS (SELECT 1 FROM direct_places AS later WHERE later.place = $1 AND $2 <= later.used_ms) \
    AND NOT EXISTS (SELECT 1 FROM record_scopes WHERE scope = $1)";

/// Notes that a place is in use, because something is kept there.
pub(in crate::edges::store::tables) const STAYS: &str = "UPDATE direct_places SET used_ms = $1 WHERE place = $2";

/// Notes that a person used the bot in a place, unless it is a server's.
pub(in crate::edges::store::tables) async fn note_use(
    connection: &mut dyn Connection,
    place: &str,
    user: UserId,
    at: SystemTime,
) -> Result<(), ServiceError> {
    if place.starts_with("guild:") {
        return Ok(());
    }
    // Once a day is enough, and on a server locks no row on all other days.
    let used = "INSERT INTO direct_places (place, \"user\", used_ms) SELECT $1, $2, $3 WHERE NOT EXISTS \
                (SELECT 1 FROM direct_places WHERE place = $1 AND \"user\" = $2 AND $3 - 86400000 <= used_ms) \
                ON CONFLICT (place, \"user\") DO UPDATE SET used_ms = excluded.used_ms";
    connection.execute(used, &[place.into(), user.0.into(), at.into()]).await.map(drop)
}
