//! The users of each direct message channel and of the console.
//!
//! Data in such a place belongs to a person if only this person used the place. Receipts cannot show that, because
//! files and records of a place are kept longer.

use std::time::SystemTime;

use crate::sql::Connection;
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;

/// Selects the places that only this person used.
pub(in crate::tables) const OWN: &str = "SELECT place FROM direct_places WHERE \"user\" = $1 AND NOT EXISTS \
                              (SELECT 1 FROM direct_places AS others \
                              WHERE others.place = direct_places.place AND others.\"user\" <> $1) ORDER BY place";

pub(in crate::tables) const FORGET: &str = "DELETE FROM direct_places WHERE place = $1";

/// Selects places with a user who was last there before a moment, longest ago first.
pub(in crate::tables) const UNUSED: &str =
    "SELECT place FROM direct_places WHERE used_ms < $1 ORDER BY used_ms LIMIT $2";

/// Forgets the users of a place. Does nothing if the place was used since a moment, or if a module has records or
/// reserved numbers there. The records of a person name their owner themselves.
pub(in crate::tables) const FORGET_UNUSED: &str = "DELETE FROM direct_places WHERE place = $1 \
    AND NOT EXISTS (SELECT 1 FROM direct_places AS later WHERE later.place = $1 AND $2 <= later.used_ms) \
    AND NOT EXISTS (SELECT 1 FROM record_scopes WHERE scope = $1)";

/// Marks a place as used, because it holds data.
pub(in crate::tables) const STAYS: &str = "UPDATE direct_places SET used_ms = $1 WHERE place = $2";

/// Stores that a person used the bot in a place, unless the place is in a guild.
pub(in crate::tables) async fn note_use(
    connection: &mut dyn Connection,
    place: &str,
    user: UserId,
    at: SystemTime,
) -> Result<(), ServiceError> {
    if place.starts_with("guild:") {
        return Ok(());
    }
    // Once a day is enough. On a database server, no row is locked the rest of the day.
    let used = "INSERT INTO direct_places (place, \"user\", used_ms) SELECT $1, $2, $3 WHERE NOT EXISTS \
                (SELECT 1 FROM direct_places WHERE place = $1 AND \"user\" = $2 AND $3 - 86400000 <= used_ms) \
                ON CONFLICT (place, \"user\") DO UPDATE SET used_ms = excluded.used_ms";
    connection.execute(used, &[place.into(), user.0.into(), at.into()]).await.map(drop)
}
