//! Claims: each event is claimed once, so that it runs once even if it is delivered several times.

use std::time::SystemTime;

use crate::edges::store::sql::Connection;
use candor_core::contract::ServiceError;
use candor_core::inbound::EventId;

pub(super) const RELEASE: &str = "DELETE FROM claims WHERE event = $1";

pub(super) async fn claim(
    connection: &mut dyn Connection,
    event: EventId,
    at: SystemTime,
) -> Result<bool, ServiceError> {
    let claim = "INSERT INTO claims (event, claimed_ms) VALUES ($1, $2) ON CONFLICT (event) DO NOTHING";
    Ok(connection.execute(claim, &[event.0.into(), at.into()]).await? == 1)
}
