//! Time zones, by their names in the built-in IANA database.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use time::formatting::Formattable;
use time::{OffsetDateTime, UtcOffset};

use crate::text::nearest::nearest;
use crate::text::times::utc::{UNKNOWN_TIME, utc};

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
        let (sign, minutes) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs() / 60);
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

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
}
