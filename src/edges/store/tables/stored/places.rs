//! The users of each direct message and of the console.
//!
//! What is kept in such a place is a person's own if nobody else was there. Receipts cannot say so for as long as files
//! and records of the place are kept.

use crate::edges::store::sql::Connection;
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;

/// Whose places these are and nobody else's.
pub(in crate::edges::store::tables) const OWN: &str = "SELECT place FROM direct_places WHERE \"user\" = $1 AND NOT EXISTS \
                              (SELECT 1 FROM direct_places AS others \
                              WHERE others.place = direct_places.place AND others.\"user\" <> $1) ORDER BY place";

/// Forgets who used the bot in a place.
pub(in crate::edges::store::tables) const FORGET: &str = "DELETE FROM direct_places WHERE place = $1";

/// Notes that a person used the bot in a place, unless it is a server's.
pub(in crate::edges::store::tables) async fn note_use(
    connection: &mut dyn Connection,
    place: &str,
    user: UserId,
) -> Result<(), ServiceError> {
    if place.starts_with("guild:") {
        return Ok(());
    }
    let used = "INSERT INTO direct_places (place, \"user\") VALUES ($1, $2) ON CONFLICT (place, \"user\") DO NOTHING";
    connection.execute(used, &[place.into(), user.0.into()]).await.map(drop)
}
