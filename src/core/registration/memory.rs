//! Registration state that survives a restart: the last fingerprint, the day's creates, and Discord's wait times.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;

use crate::contract::ServiceError;
use crate::inbound::GuildId;
use crate::registration::Scope;

/// The most commands an application may create per day and scope. See Discord's documentation, application commands,
/// rate limits.
pub const CREATES_PER_DAY_MAX: usize = 200;

const DAY: Duration = Duration::from_hours(24);

/// The stored registration state of a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The fingerprint of the last complete registration; `None` after any later change.
    pub fingerprint: Option<String>,
    /// The day of `creates`, in days since 1970, UTC.
    pub day: u64,
    /// The number of commands created on that day.
    pub creates: usize,
    /// The time until which Discord accepts no new command.
    pub no_creates_until: Option<SystemTime>,
    /// The time until which Discord accepts no request at all.
    pub not_before: Option<SystemTime>,
}

impl Remembered {
    pub fn creates_today(&self, now: SystemTime) -> usize {
        if self.day == day_of(now) { self.creates } else { 0 }
    }

    pub fn creates_left(&self, now: SystemTime) -> usize {
        match self.no_creates_until {
            Some(until) if now < until => 0,
            _ => CREATES_PER_DAY_MAX.saturating_sub(self.creates_today(now)),
        }
    }

    /// Returns the time until which no request may be made, if it is in the future.
    pub fn held_until(&self, now: SystemTime) -> Option<SystemTime> {
        self.not_before.filter(|&until| now < until)
    }

    /// Returns when new commands may be created again: the time Discord stated, else the next day.
    pub fn creates_again(&self, now: SystemTime) -> SystemTime {
        self.no_creates_until.filter(|&until| now < until).unwrap_or_else(|| next_day(now))
    }
}

/// Returns the day of a time, in days since 1970, UTC.
pub fn day_of(now: SystemTime) -> u64 {
    now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / DAY.as_secs()
}

/// Returns the start of the next day, UTC.
pub fn next_day(now: SystemTime) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs((day_of(now) + 1) * DAY.as_secs())
}

/// Stores the registration state of each scope, by application. A new application starts with an empty state.
#[async_trait]
pub trait SyncMemory: Send + Sync {
    /// Returns the state of a scope; the default if none is stored.
    async fn remembered(&self, application: u64, scope: Scope) -> Result<Remembered, ServiceError>;
    /// Returns every guild with stored state.
    async fn guilds(&self, application: u64) -> Result<Vec<(GuildId, Remembered)>, ServiceError>;
    /// Records that registration is complete, or, with `None`, that it may not be.
    async fn settle(&self, application: u64, scope: Scope, fingerprint: Option<&str>) -> Result<(), ServiceError>;
    /// Adds to the creates of a day. Safe with two processes counting at once.
    async fn count_creates(&self, application: u64, scope: Scope, day: u64, n: usize) -> Result<(), ServiceError>;
    /// Stores the time until which no new command is accepted.
    async fn stop_creates(&self, application: u64, scope: Scope, until: SystemTime) -> Result<(), ServiceError>;
    /// Stores the time until which no request may be made.
    async fn hold(&self, application: u64, scope: Scope, until: SystemTime) -> Result<(), ServiceError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn creates_are_counted_by_the_day_and_stop_at_the_limit() {
        let noon = at(86_400 * 3 + 43_200);
        let used = |creates| Remembered { day: 3, creates, ..Remembered::default() };
        for (remembered, now, left) in [
            (Remembered::default(), noon, 200),
            (used(3), noon, 197),
            (used(200), noon, 0),
            (used(201), noon, 0),
            (used(200), at(86_400 * 4), 200),
            (Remembered { no_creates_until: Some(at(86_400 * 4 + 5)), ..used(9) }, at(86_400 * 4), 0),
            (Remembered { no_creates_until: Some(noon), ..used(9) }, noon, 191),
        ] {
            assert_eq!(remembered.creates_left(now), left, "{remembered:?}");
        }
        assert_eq!(used(200).creates_again(noon), at(86_400 * 4));
        assert_eq!(
            Remembered { no_creates_until: Some(at(86_400 * 9)), ..used(0) }.creates_again(noon),
            at(86_400 * 9)
        );
    }
}
