//! A clock for retention that ignores jumps, even across restarts: a jump must not make all data old at once.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How far the clock may be from the elapsed time. A larger difference is a jump.
const JUMP: Duration = Duration::from_hours(1);

/// How far the clock may be, at a start, from the last run of the bot. A longer pause looks the same as a wrong clock.
const OFF_MAX: Duration = Duration::from_hours(24);

/// How long the clock is not trusted after a jump, counted while the bot runs: time to correct it.
const HOLD: Duration = Duration::from_hours(24);

/// The trusted time, kept in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedTime {
    /// The expected time: when the clock was last trusted, plus the time that passed since.
    pub at: SystemTime,
    /// How long, in running time, the clock has not been trusted; `None` if it is trusted.
    pub held: Option<Duration>,
}

impl TrustedTime {
    /// The value of a store without a trusted time: the clock is trusted after a day.
    pub(super) const UNKNOWN: Self = Self { at: UNIX_EPOCH, held: Some(Duration::ZERO) };

    /// Checks the clock at a start. Returns whether it is trusted.
    pub(super) fn begin(&mut self, now: SystemTime) -> bool {
        let leeway = if self.held.is_some() { JUMP } else { OFF_MAX };
        self.look(now, Duration::ZERO, leeway)
    }

    /// Checks the clock when `passed` has elapsed since the last check. Returns whether it is trusted.
    pub(super) fn follow(&mut self, now: SystemTime, passed: Duration) -> bool {
        self.look(now, passed, JUMP)
    }

    fn look(&mut self, now: SystemTime, passed: Duration, leeway: Duration) -> bool {
        let expected = self.at.checked_add(passed).unwrap_or(self.at);
        let apart = now.duration_since(expected).unwrap_or_else(|behind| behind.duration());
        let held = self.held.map_or(Duration::ZERO, |held| held + passed);
        let is_believed = apart <= leeway || HOLD <= held;
        *self = match is_believed {
            true => Self { at: now, held: None },
            false => Self { at: expected, held: Some(held) },
        };
        is_believed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumped_is_believed_after_a_day_of_running_also_over_restarts_or_once_it_is_right_again() {
        let hours = Duration::from_hours;
        let year = hours(24 * 365);
        let begun = UNIX_EPOCH + year * 50;
        // What the clock says, in hours from the begin, after how many hours of running (`None`: at a start), and
        // whether it is believed.
        let cases: [&[(u64, Option<u64>, bool)]; 6] = [
            &[(0, None, true), (1, Some(1), true), (24, None, true), (25, Some(1), true)],
            // Off for more than a day.
            &[(25, None, false), (48, Some(23), false), (49, Some(1), true), (50, Some(1), true)],
            // It jumps by a year, and the bot is started anew twice within the day.
            &[
                (8_760, Some(1), false),
                (8_772, Some(12), false),
                (8_772, None, false),
                (8_779, Some(7), false),
                (8_780, None, false),
                (8_784, Some(4), false),
                (8_785, Some(1), true),
                (8_786, Some(1), true),
            ],
            // It jumps less far than the bot may have been off, and is not believed for that it was started anew.
            &[(5, Some(1), false), (5, None, false), (6, Some(1), false)],
            // It is set right: at once, and while the bot is off.
            &[(8_760, Some(1), false), (2, Some(1), true), (3, Some(1), true)],
            &[(8_760, Some(1), false), (2, None, true)],
        ];
        for looks in cases {
            let mut trusted = TrustedTime { at: begun, held: None };
            for (says, passed, expected) in looks {
                let now = begun + hours(*says);
                let is_believed = match passed {
                    None => trusted.begin(now),
                    Some(passed) => trusted.follow(now, hours(*passed)),
                };
                assert_eq!(is_believed, *expected, "{says} h in {looks:?}");
            }
        }
        // Set back: for a day nothing is done, so that what was a correction does not count as a jump ahead later.
        let mut trusted = TrustedTime { at: begun, held: None };
        assert!(!trusted.follow(begun - year, hours(1)));
        assert!(trusted.follow(begun + hours(2), hours(1)));
        // A store of an older version.
        let mut trusted = TrustedTime::UNKNOWN;
        assert!(!trusted.begin(begun));
        assert!(!trusted.follow(begun + hours(23), hours(23)));
        assert!(trusted.follow(begun + hours(24), hours(1)));
    }
}
