//! Time zones, by their names in the built-in IANA database.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use time::formatting::Formattable;
use time::{OffsetDateTime, UtcOffset};

use crate::text::words::nearest;

/// The most names suggested for an unknown one.
const NEAR_MAX: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    pub const UTC: Self = Self(TimeZone::UTC);

    /// Returns the zone of this name, such as `Europe/Berlin`, in any case.
    ///
    /// # Errors
    /// Up to three near names, if the zone does not exist.
    pub fn named(name: &str) -> Result<Self, Vec<String>> {
        let zones = TimeZoneDatabase::bundled();
        zones.get(name).map(Self).map_err(|_unknown| near(name))
    }

    pub fn names() -> Vec<String> {
        TimeZoneDatabase::bundled().available().map(|zone| zone.as_str().to_owned()).collect()
    }

    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// Formats a time here: `an unknown time` if it is beyond the calendar.
    pub fn text(&self, at: SystemTime, format: &(impl Formattable + ?Sized)) -> String {
        let text = self.local(at).and_then(|at| at.format(format).ok());
        text.unwrap_or_else(|| UNKNOWN_TIME.to_owned())
    }

    /// Returns the zone's offset from UTC at a time: `UTC+01:00`.
    pub fn offset_text(&self, at: SystemTime) -> String {
        let seconds = self.local(at).map(|at| at.offset().whole_seconds()).unwrap_or_default();
        let sign = if seconds < 0 { '-' } else { '+' };
        let minutes = seconds.unsigned_abs() / 60;
        format!("UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }

    pub(super) fn clocks(&self) -> &TimeZone {
        &self.0
    }

    fn local(&self, at: SystemTime) -> Option<OffsetDateTime> {
        let seconds = self.0.to_offset(Timestamp::try_from(at).ok()?).seconds();
        utc(at)?.checked_to_offset(UtcOffset::from_whole_seconds(seconds).ok()?)
    }
}

/// Returns zones with a similar name or city.
fn near(name: &str) -> Vec<String> {
    let names = Zone::names();
    let near = nearest(name, names.iter().map(String::as_str), NEAR_MAX);
    if !near.is_empty() {
        return near.into_iter().map(str::to_owned).collect();
    }
    let city = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let cities: Vec<_> = names.iter().map(|name| city(name)).collect();
    let near = nearest(&city(name), cities.iter().map(String::as_str), NEAR_MAX);
    let is_near = |name: &&String| near.contains(&city(name).as_str());
    names.iter().filter(is_near).take(NEAR_MAX).cloned().collect()
}

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
    use time::macros::format_description;

    use super::*;

    /// 2027-01-15 08:00 UTC.
    const WINTER: u64 = 1_800_000_000;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn a_zone_has_its_clock_in_winter_and_in_summer() {
        let format = format_description!("[year]-[month]-[day] [hour]:[minute]");
        let summer = WINTER + 180 * 86_400;
        for (name, seconds, shown, offset) in [
            ("UTC", WINTER, "2027-01-15 08:00", "UTC+00:00"),
            ("Europe/Berlin", WINTER, "2027-01-15 09:00", "UTC+01:00"),
            ("europe/berlin", summer, "2027-07-14 10:00", "UTC+02:00"),
            ("America/St_Johns", WINTER, "2027-01-15 04:30", "UTC-03:30"),
            ("Asia/Kathmandu", WINTER, "2027-01-15 13:45", "UTC+05:45"),
        ] {
            let zone = Zone::named(name).unwrap();
            assert_eq!(
                (zone.text(at(seconds), format).as_str(), zone.offset_text(at(seconds)).as_str()),
                (shown, offset)
            );
            assert!(zone.name().eq_ignore_ascii_case(name), "{}", zone.name());
        }
        let beyond = UNIX_EPOCH + Duration::from_secs(1 << 40);
        assert_eq!(Zone::UTC.text(beyond, format), UNKNOWN_TIME);
    }

    #[test]
    fn of_a_zone_that_is_none_the_near_ones_are_told() {
        for (name, near) in [("Europe/Belrin", "Europe/Berlin"), ("Berlin", "Europe/Berlin"), ("Tokio", "Asia/Tokyo")] {
            let told = Zone::named(name).unwrap_err();
            assert!(told.iter().any(|zone| zone == near) && told.len() <= NEAR_MAX, "{name}: {told:?}");
        }
        assert_eq!(Zone::named("nowhere at all"), Err(Vec::new()));
        assert_eq!(Zone::named(&"x".repeat(10_000)), Err(Vec::new()));
    }

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
