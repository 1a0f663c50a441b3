//! Creation times of Discord's objects, read from their ids.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The Discord epoch, the first millisecond of its ids: the start of 2015. See its documentation on snowflakes.
const DISCORD_EPOCH_MS: u64 = 1_420_070_400_000;

/// Returns when an event was created by Discord's clock, read from its id.
pub(crate) fn sent(id: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis((id >> 22) + DISCORD_EPOCH_MS)
}
