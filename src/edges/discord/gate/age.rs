//! The age of an event, on a machine whose clock may be off.

use std::time::{Duration, SystemTime};

/// The lifetime of an interaction token. See Discord's documentation on responding.
const TOKEN_LIFE: Duration = Duration::from_mins(15);

/// For how long the smallest lag counts: long enough to hold a fresh event, short enough that the drift of a
/// clock stays far below a second.
const WINDOW: Duration = Duration::from_hours(1);

/// The largest lag with which an interaction can still be answered.
const PLAUSIBLE: Duration = Duration::from_secs(3);

/// Determines the age of events by comparing lags.
///
/// The lag of an event is our time of arrival minus Discord's time of creation, which its id holds. It is the sum of
/// our clock's offset, the network latency and, for an event that was held back, its age. The smallest recent lag is
/// taken for the first two alone; what an event has beyond that is its age. So a clock that is minutes off neither
/// drops fresh events nor lets old ones pass.
///
/// The first event has nothing to compare with. It counts as fresh, unless its lag exceeds the lifetime of a token.
#[derive(Debug, Default)]
pub(crate) struct Ages {
    now: Option<Window>,
    /// The smallest lag of the previous window.
    before: Option<i128>,
}

#[derive(Debug)]
struct Window {
    began: SystemTime,
    smallest: i128,
}

impl Ages {
    /// The age of an event made at `sent`, by Discord's clock, that arrived at `now`, by ours.
    pub(crate) fn age(&mut self, sent: SystemTime, now: SystemTime) -> Duration {
        self.turn(now);
        let lag = lag(sent, now);
        let known = self.now.as_ref().map(|window| window.smallest).into_iter().chain(self.before).min();
        let window = self.now.get_or_insert(Window { began: now, smallest: lag });
        window.smallest = window.smallest.min(lag);
        let beyond = match known {
            Some(smallest) => lag - smallest,
            None if milliseconds(TOKEN_LIFE) < lag => lag,
            None => 0,
        };
        Duration::from_millis(u64::try_from(beyond).unwrap_or_default())
    }

    /// How much of its time an event whose age was asked for has used up. A lag that could be an age counts as one: it
    /// is better to hurry than to be late. A longer lag says more about our clock than about the event. Does not update
    /// the window.
    pub(crate) fn since(&self, sent: SystemTime, now: SystemTime) -> Duration {
        let known = self.now.as_ref().map(|window| window.smallest).into_iter().chain(self.before).min();
        let lag = lag(sent, now);
        let beyond = known.map_or(0, |smallest| lag - smallest);
        let used = if lag < milliseconds(PLAUSIBLE) { beyond.max(lag) } else { beyond };
        Duration::from_millis(u64::try_from(used).unwrap_or_default())
    }

    /// Starts a new window when this one is over, and forgets what is older than the previous one.
    fn turn(&mut self, now: SystemTime) {
        let Some(window) = &self.now else { return };
        let open = now.duration_since(window.began).unwrap_or_default();
        if WINDOW <= open {
            self.before = (open < WINDOW * 2).then_some(window.smallest);
            self.now = None;
        }
    }
}

/// Milliseconds from `sent` to `now`, negative if our clock is behind.
fn lag(sent: SystemTime, now: SystemTime) -> i128 {
    match now.duration_since(sent) {
        Ok(behind) => milliseconds(behind),
        Err(ahead) => -milliseconds(ahead.duration()),
    }
}

fn milliseconds(time: Duration) -> i128 {
    i128::try_from(time.as_millis()).unwrap_or(i128::MAX)
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
            ("drift is learned", &[(0, 0), (HOUR, HOUR + 9), (2 * HOUR + 9, 2 * HOUR + 24)], &[0, 9, 6]),
            ("long ago is forgotten", &[(0, 0), (3 * HOUR, 3 * HOUR + 5_000)], &[0, 0]),
        ];
        for (name, events, expected) in cases {
            let mut ages = Ages::default();
            let found: Vec<_> = events.iter().map(|&(sent, now)| ages.age(at(sent), at(now)).as_millis()).collect();
            let expected: Vec<_> = expected.iter().map(|&age| u128::from(age)).collect();
            assert_eq!(found, expected, "{name}");
        }
    }
}
