//! Times in UTC, for people and for files.

use std::time::SystemTime;

use time::OffsetDateTime;
use time::formatting::Formattable;

pub(super) const UNKNOWN_TIME: &str = "an unknown time";

/// Formats a time in UTC: `an unknown time` if it is beyond the calendar, which a file or a clock may hold.
pub fn utc_text(at: SystemTime, format: &(impl Formattable + ?Sized)) -> String {
    let text = utc(at).and_then(|at| at.format(format).ok());
    text.unwrap_or_else(|| UNKNOWN_TIME.to_owned())
}

/// Converts a time to UTC, if it is in the calendar.
pub(super) fn utc(at: SystemTime) -> Option<OffsetDateTime> {
    let nanoseconds = match at.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => i128::try_from(since.as_nanos()).ok()?,
        Err(before) => -i128::try_from(before.duration().as_nanos()).ok()?,
    };
    OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).ok()
}

/// Returns whether the time is in the years -9999 to 9999.
pub fn is_in_calendar(at: SystemTime) -> bool {
    utc(at).is_some()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use proptest::prelude::*;
    use time::format_description::well_known::Rfc3339;

    use super::*;

    #[test]
    fn a_time_is_told_in_utc_as_far_as_the_calendar_goes() {
        const LAST: u64 = 253_402_300_799;
        let cases = [(0, "1970-01-01T00:00:00Z"), (LAST, "9999-12-31T23:59:59Z"), (LAST + 1, "an unknown time")];
        for (seconds, expected) in cases {
            let at = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(utc_text(at, &Rfc3339), expected);
            assert_eq!(is_in_calendar(at), seconds <= LAST, "{seconds}");
        }
    }

    proptest! {
        #[test]
        fn no_time_that_a_clock_can_say_panics(seconds: u64, nanoseconds in 0..1_000_000_000_u32, is_before: bool) {
            let span = Duration::new(seconds, nanoseconds);
            let at = if is_before { UNIX_EPOCH.checked_sub(span) } else { UNIX_EPOCH.checked_add(span) };
            if let Some(at) = at {
                let is_known = utc_text(at, time::macros::format_description!("[year]")) != "an unknown time";
                prop_assert_eq!(is_known, is_in_calendar(at));
            }
        }
    }
}
