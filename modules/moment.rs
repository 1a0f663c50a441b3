//! Durations and times as people write them.

use std::time::{Duration, SystemTime};

use time::format_description::well_known::Iso8601;
use time::{OffsetDateTime, PrimitiveDateTime};

use candor_core::text::Zone;

/// A duration such as `90m`, `2h30m`, `1d 12h`: numbers, each with its unit, the larger ones first or not.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut seconds = 0_u64;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let number: u64 = rest.strip_suffix(behind)?.parse().ok()?;
        let behind = behind.trim_start();
        let next = behind.trim_start_matches(char::is_alphabetic);
        let unit = match behind.strip_suffix(next)?.to_lowercase().as_str() {
            "s" | "sec" => 1,
            "m" | "min" => 60,
            "h" => 3_600,
            "d" => 86_400,
            "w" => 7 * 86_400,
            _ => return None,
        };
        seconds = seconds.checked_add(number.checked_mul(unit)?)?;
        rest = next.trim_start();
    }
    Some(Duration::from_secs(seconds)).filter(|duration| !duration.is_zero())
}

/// A date and time of ISO 8601; by the clock of `zone` if it names none.
pub(crate) fn date_time(text: &str, zone: &Zone) -> Option<SystemTime> {
    let text = text.trim().replace(' ', "T");
    match OffsetDateTime::parse(&text, &Iso8601::DEFAULT) {
        Ok(at) => Some(SystemTime::from(at)),
        Err(_) => zone.moment(PrimitiveDateTime::parse(&text, &Iso8601::DEFAULT).ok()?),
    }
}
