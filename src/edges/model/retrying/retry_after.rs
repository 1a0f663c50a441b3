//! Parses `Retry-After`, the wait that a server asks for.

use std::time::{Duration, SystemTime};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

/// A longer wait does not help a person, and is more likely a fault of the server.
const WAIT_MAX: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Parses `Retry-After`, in seconds or as a date (RFC 9110, section 10.2.3). A past date means no wait. `None` if it is
/// invalid or too long.
pub(crate) fn parse(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    let wait = match value.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let at = SystemTime::from(OffsetDateTime::parse(value, &Rfc2822).ok()?);
            at.duration_since(now).unwrap_or(Duration::ZERO)
        }
    };
    (wait <= WAIT_MAX).then_some(wait)
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn both_forms_are_read_and_nonsense_is_not() {
        // 1994-11-06 08:49:37 UTC, the date that RFC 9110 uses for its examples.
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let cases = [
            ("20", seconds(20)),
            (" 0 ", seconds(0)),
            ("Sun, 06 Nov 1994 08:51:07 GMT", seconds(90)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", seconds(0)),
            ("Sun, 06 Nov 1994 07:00:00 GMT", seconds(0)),
            ("Fri, 31 Dec 1999 23:59:59 GMT", None),
            ("18446744073709551615", None),
            ("99999999999999999999999", None),
            ("-5", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ];
        for (value, expected) in cases {
            assert_eq!(parse(value, now), expected, "{value:?}");
        }
    }
}
