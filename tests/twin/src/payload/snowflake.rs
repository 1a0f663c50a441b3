//! Snowflake ids, which contain their creation time, and Discord's timestamps.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The epoch of Discord's ids: the first second of 2015, in milliseconds since 1970.
pub const DISCORD_EPOCH_MS: u64 = 1_420_070_400_000;

/// The bits below the time hold a worker, a process and a counter; the twin uses all of them as a counter.
const LOW_BITS: u32 = 22;

/// Creates ids that are unique within one twin.
#[derive(Default)]
pub(crate) struct Snowflakes {
    n_created: AtomicU64,
}

impl Snowflakes {
    /// A new id with the current time.
    pub(crate) fn next(&self) -> u64 {
        self.aged(0)
    }

    /// A new id that is `age_ms` milliseconds old; a negative age is ahead of the clock.
    pub(crate) fn aged(&self, age_ms: i64) -> u64 {
        let counter = self.n_created.fetch_add(1, Ordering::Relaxed) % (1 << LOW_BITS);
        let made_at = now_ms().saturating_sub(DISCORD_EPOCH_MS).saturating_sub_signed(age_ms);
        (made_at << LOW_BITS) | counter
    }
}

/// The creation time of an id, in milliseconds since 1970.
pub(crate) fn made_at_ms(id: u64) -> u64 {
    (id >> LOW_BITS) + DISCORD_EPOCH_MS
}

/// The shard of a guild, by Discord's formula.
pub(crate) fn shard_of(guild_id: u64, n_shards: u64) -> u64 {
    (guild_id >> LOW_BITS) % n_shards.max(1)
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A time as an ISO 8601 timestamp in Discord's format.
pub(crate) fn timestamp(ms: u64) -> String {
    let (days, rest) = (ms / 86_400_000, ms % 86_400_000);
    let (year, month, day) = civil_date(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}000+00:00")
}

/// Year, month and day. The calculation counts years from March, so that a leap day is the last day of its year.
fn civil_date(days_since_1970: u64) -> (u64, u64, u64) {
    let days = days_since_1970 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_its_age() {
        let ids = Snowflakes::default();
        let (fresh, old) = (made_at_ms(ids.next()), made_at_ms(ids.aged(60_000)));
        assert!(now_ms() - fresh < 5_000);
        assert!((55_000..=60_100).contains(&(fresh - old)), "{}", fresh - old);
    }

    #[test]
    fn ids_are_unique() {
        let ids = Snowflakes::default();
        let made: std::collections::BTreeSet<u64> = (0..10_000).map(|n| ids.aged(n % 7)).collect();
        assert_eq!(made.len(), 10_000);
    }

    #[test]
    fn timestamps_are_civil_dates() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00.000000+00:00");
        assert_eq!(timestamp(951_782_400_000), "2000-02-29T00:00:00.000000+00:00");
        assert_eq!(timestamp(1_735_689_599_999), "2024-12-31T23:59:59.999000+00:00");
    }
}
