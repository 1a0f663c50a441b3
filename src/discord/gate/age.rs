//! The age of an event, even if the machine's clock is off.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

/// The lifetime of an interaction token. See Discord's documentation on responding.
const TOKEN_LIFE: Duration = Duration::from_mins(15);

/// How many of the newest lags are compared.
const RECENT_MAX: usize = 31;
const RECENT_FOR: Duration = Duration::from_hours(2);
/// How often a held-back event counts: a replay of many must not make its lag the usual one.
const HELD_BACK_EVERY: Duration = Duration::from_secs(1);

/// The largest lag at which an interaction can still be answered.
const PLAUSIBLE: Duration = Duration::from_secs(3);

/// Determines the age of events by comparing lags.
///
/// The lag of an event is our time of arrival minus Discord's time of creation, which its id holds. It is the sum of
/// our clock's offset, the network latency and, for a held-back event, its age. The median of the recent lags
/// approximates offset and latency; the excess of an event is its age. So a clock that is minutes off neither drops
/// fresh events nor admits old ones. A single event never makes others older, even with a forged id.
///
/// A correct clock counts as one more event, so the first event alone does not decide. A seemingly held-back event
/// counts too, once a second: a wrong median corrects itself within a minute.
///
/// The first event has no comparison. It counts as fresh, unless its lag exceeds the lifetime of a token.
#[derive(Debug, Default)]
pub(crate) struct Ages {
    /// Arrival times of the newest events and their lags in milliseconds, oldest first.
    recent: VecDeque<(SystemTime, i64)>,
    /// When a seemingly held-back event was last counted.
    held_back: Option<SystemTime>,
}

impl Ages {
    /// Returns the age of an event created at `sent` (Discord's clock) that arrived at `now` (our clock).
    pub(crate) fn age(&mut self, sent: SystemTime, now: SystemTime) -> Duration {
        while self.recent.front().is_some_and(|(at, _)| now.duration_since(*at).is_ok_and(|ago| RECENT_FOR < ago)) {
            self.recent.pop_front();
        }
        let lag = lag(sent, now);
        let beyond = match self.usual() {
            Some(usual) => lag.saturating_sub(usual),
            None if milliseconds(TOKEN_LIFE) < lag => lag,
            None => 0,
        };
        let is_held_back = milliseconds(PLAUSIBLE) <= beyond && !self.recent.is_empty();
        let counted = self.held_back.filter(|_| is_held_back);
        if counted.is_none_or(|last| now.duration_since(last).is_ok_and(|ago| HELD_BACK_EVERY <= ago)) {
            if RECENT_MAX <= self.recent.len() {
                self.recent.pop_front();
            }
            self.recent.push_back((now, lag));
            if is_held_back {
                self.held_back = Some(now);
            }
        }
        Duration::from_millis(u64::try_from(beyond).unwrap_or_default())
    }

    /// Returns how much of its time an already counted event has used up. A plausible lag counts as age, because
    /// hurrying is better than being late. A longer lag says more about our clock than about the event. Counts nothing.
    pub(crate) fn since(&self, sent: SystemTime, now: SystemTime) -> Duration {
        let lag = lag(sent, now);
        let beyond = self.usual().map_or(0, |usual| lag.saturating_sub(usual));
        let used = if lag < milliseconds(PLAUSIBLE) { beyond.max(lag) } else { beyond };
        Duration::from_millis(u64::try_from(used).unwrap_or_default())
    }

    /// Counts the usual lag that an earlier process measured, so often that several replayed events do not change it.
    /// Without one, a correct clock is assumed until more is known.
    pub(super) fn expect(&mut self, lag_ms: Option<i64>, now: SystemTime) {
        let n_times = if lag_ms.is_some() { RECENT_MAX / 2 } else { 1 };
        self.recent.extend(std::iter::repeat_n((now, lag_ms.unwrap_or_default()), n_times));
    }

    /// Returns the median lag, or the larger middle one. `None` without events.
    pub(super) fn usual(&self) -> Option<i64> {
        let n = self.recent.len().min(RECENT_MAX);
        // The last place is the lag of a correct clock.
        let mut lags = [0; RECENT_MAX + 1];
        for (place, (_, lag)) in lags.iter_mut().zip(&self.recent) {
            *place = *lag;
        }
        let known = lags.get_mut(..=n).filter(|_| 0 < n)?;
        if let Some(last) = known.last_mut() {
            *last = 0;
        }
        let middle = known.len() / 2;
        Some(*known.select_nth_unstable(middle).1)
    }
}

/// Returns the milliseconds from `sent` to `now`, negative if our clock is behind.
fn lag(sent: SystemTime, now: SystemTime) -> i64 {
    match now.duration_since(sent) {
        Ok(behind) => milliseconds(behind),
        Err(ahead) => -milliseconds(ahead.duration()),
    }
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;
    const HOUR: i64 = 60 * MINUTE;

    fn at(ms: i64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(1_000_000_000 + ms).unwrap())
    }

    /// A name, events as (sent, arrived), and their ages, all in milliseconds.
    type Case = (&'static str, &'static [(i64, i64)], &'static [u64]);

    #[test]
    fn what_was_held_back_is_old_whatever_the_clock_says() {
        let cases: [Case; 9] = [
            ("fresh", &[(0, 80), (1_000, 1_090)], &[0, 10]),
            ("held back", &[(0, 80), (1_000, 61_080)], &[0, 60_000]),
            ("a clock ahead", &[(0, 20 * MINUTE), (1_000, 20 * MINUTE + 1_000)], &[1_200_000, 0]),
            ("a clock behind", &[(0, -5_000), (1_000, -4_000), (2_000, 7_000)], &[0, 0, 10_000]),
            ("the first is held back", &[(0, MINUTE), (MINUTE, MINUTE), (MINUTE, MINUTE + 4_000)], &[0, 0, 4_000]),
            ("the first is dead", &[(0, 16 * MINUTE), (16 * MINUTE, 16 * MINUTE + 50)], &[960_000, 0]),
            ("a window ago", &[(0, 0), (HOUR, HOUR + 5_000)], &[0, 5_000]),
            ("drift is learned", &[(0, 0), (3 * HOUR, 3 * HOUR + 9), (4 * HOUR, 4 * HOUR + 15)], &[0, 0, 6]),
            ("long ago is forgotten", &[(0, 0), (3 * HOUR, 3 * HOUR + 5_000)], &[0, 0]),
        ];
        for (name, events, expected) in cases {
            let mut ages = Ages::default();
            let found: Vec<_> = events.iter().map(|&(sent, now)| ages.age(at(sent), at(now)).as_millis()).collect();
            let expected: Vec<_> = expected.iter().map(|&age| u128::from(age)).collect();
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn held_04_an_id_of_the_future_stops_nothing() {
        for ahead in [3_000, 60_000, HOUR, 24 * 365 * HOUR] {
            for n_before in [0, 1, 2, 40] {
                let mut ages = Ages::default();
                (0..n_before).for_each(|n| assert_eq!(ages.age(at(n), at(n + 50)).as_millis(), 0));
                assert_eq!(ages.age(at(1_000 + ahead), at(1_000)), Duration::ZERO);
                for n in 0..8 {
                    let age = ages.age(at(2_000 + n), at(2_050 + n));
                    assert!(age < PLAUSIBLE, "{ahead} ms ahead after {n_before} events: {n} is {age:?} old");
                    assert!(ages.since(at(2_000 + n), at(2_050 + n)) < PLAUSIBLE);
                }
            }
        }
    }

    #[test]
    fn a_replay_stays_old_and_a_wrong_measure_is_mended() {
        let mut ages = Ages::default();
        (0..40).for_each(|n| assert_eq!(ages.age(at(n), at(n + 50)), Duration::ZERO));
        // A thousand events that were held back for a minute come in two seconds.
        for n in 0..1_000 {
            let now = MINUTE + n * 2;
            assert!(PLAUSIBLE <= ages.age(at(n), at(now)), "{n}");
        }
        // Were our clock another one from now on, that would be known after so many seconds.
        let mut is_old = |n: i64| PLAUSIBLE <= ages.age(at(5 * MINUTE + n * 1_000), at(6 * MINUTE + n * 1_000));
        let old = (0..60).filter(|n| is_old(*n)).count();
        assert!((1..32).contains(&old), "{old}");
    }
}
