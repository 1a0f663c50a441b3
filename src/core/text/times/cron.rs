//! Cron patterns: `0 9 * * mon-fri`.

use std::cmp::Ordering;
use std::time::SystemTime;

use croner::errors::CronError;
use croner::parser::{CronParser, Seconds, Year};
use croner::time::{CivilDateTime, CronDateTime, Resolution, Weekday};
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use crate::text::times::zone::Zone;

/// A recurring minute: minute, hour, day of the month, month and day of the week, as in
/// [POSIX](https://pubs.opengroup.org/onlinepubs/9799919799/utilities/crontab.html). Names of months and days, steps
/// (`*/15`), `L`, `W` and `#`, and `@daily` and the like are allowed.
///
/// A time that is skipped when clocks are set forward is made up for. A time that occurs twice counts once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    written: String,
    minutes: croner::Cron,
}

impl Cron {
    /// Parses a pattern.
    ///
    /// # Errors
    /// The problem, for the pattern's author. A pattern that never matches, such as the 30th of February, is an error
    /// too.
    pub fn parse(pattern: &str) -> Result<Self, String> {
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let minutes = parser.parse(pattern.trim()).map_err(|_problem| problem(&parser, pattern))?;
        let read = Self { written: pattern.trim().to_owned(), minutes };
        match read.next(SystemTime::UNIX_EPOCH, &Zone::UTC) {
            Some(_) => Ok(read),
            None => Err("there is no such time".to_owned()),
        }
    }

    /// Returns the last matching minute that began by this time. `None` if the calendar has no such minute.
    pub fn last(&self, by: SystemTime, zone: &Zone) -> Option<SystemTime> {
        let found = self.minutes.find_previous_occurrence(&Local::at(by, zone)?, true);
        found.ok()?.moment()
    }

    /// Returns the first matching minute that begins after this time. `None` if the calendar has no such minute.
    pub fn next(&self, after: SystemTime, zone: &Zone) -> Option<SystemTime> {
        let found = self.minutes.find_next_occurrence(&Local::at(after, zone)?, false);
        found.ok()?.moment()
    }

    /// Returns the pattern as it was written.
    pub fn pattern(&self) -> &str {
        &self.written
    }
}

/// The fields of a pattern, each with the values that it takes.
const FIELDS: [(&str, &str); 5] = [
    ("minute", "0 to 59"),
    ("hour", "0 to 23"),
    ("day of the month", "1 to 31, or `L`"),
    ("month", "1 to 12, or jan to dec"),
    ("day of the week", "0 to 7, or sun to sat"),
];

/// Explains the problem of an invalid pattern and names its field. The parser's own error names no field.
fn problem(parser: &CronParser, pattern: &str) -> String {
    let fields: Vec<_> = pattern.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return match fields.len() {
            1 => "it has 1 field instead of 5".to_owned(),
            n => format!("it has {n} fields instead of 5"),
        };
    }
    let is_wrong = |n: usize, field: &str| {
        let alone: Vec<_> = (0..FIELDS.len()).map(|other| if other == n { field } else { "*" }).collect();
        parser.parse(&alone.join(" ")).is_err()
    };
    let wrong = FIELDS.iter().zip(fields).enumerate().find(|(n, (_, field))| is_wrong(*n, field));
    wrong.map_or_else(
        || "it cannot be read".to_owned(),
        |(_, ((name, values), field))| format!("the {name} must be {values}, and `{field}` is not"),
    )
}

/// A time with its time zone.
#[derive(Clone)]
struct Local<'a> {
    at: Timestamp,
    clocks: &'a TimeZone,
}

impl<'a> Local<'a> {
    fn at(at: SystemTime, zone: &'a Zone) -> Option<Self> {
        Some(Self { at: Timestamp::try_from(at).ok()?, clocks: zone.clocks() })
    }

    fn moment(&self) -> Option<SystemTime> {
        SystemTime::try_from(self.at).ok()
    }

    fn shown(&self) -> DateTime {
        self.clocks.to_datetime(self.at)
    }
}

impl CronDateTime for Local<'_> {
    #[expect(clippy::expect_used, reason = "every time of one calendar is one of the other")]
    fn to_civil(&self) -> CivilDateTime {
        let shown = self.shown();
        let parts = [shown.month(), shown.day(), shown.hour(), shown.minute(), shown.second()];
        let [month, day, hour, minute, second] = parts.map(i8::unsigned_abs).map(u32::from);
        let civil = CivilDateTime::from_ymd_hms_opt(shown.year().into(), month, day, hour, minute, second);
        civil.expect("a time of the calendar")
    }

    fn civil_weekday(&self) -> Weekday {
        Weekday::from_days_from_sunday(self.shown().weekday().to_sunday_zero_offset().unsigned_abs().into())
    }

    fn resolve_civil(&self, civil: CivilDateTime) -> Result<Resolution<Self>, CronError> {
        let small = |number: u32| i8::try_from(number).map_err(|_large| CronError::InvalidTime);
        let year = i16::try_from(civil.year()).map_err(|_beyond| CronError::InvalidDate)?;
        let [month, day] = [small(civil.month())?, small(civil.day())?];
        let [hour, minute, second] = [small(civil.hour())?, small(civil.minute())?, small(civil.second())?];
        let shown = DateTime::new(year, month, day, hour, minute, second, 0).map_err(|_none| CronError::InvalidDate)?;
        let moments = self.clocks.to_ambiguous_timestamp(shown);
        let known = |moment: Result<Timestamp, jiff::Error>| {
            moment.map(|at| Self { at, ..*self }).map_err(|_beyond| CronError::InvalidDate)
        };
        Ok(match moments.offset() {
            AmbiguousOffset::Unambiguous { .. } => Resolution::Single(known(moments.unambiguous())?),
            AmbiguousOffset::Fold { .. } => Resolution::Ambiguous(known(moments.earlier())?, known(moments.later())?),
            AmbiguousOffset::Gap { .. } => Resolution::Gap,
        })
    }

    fn checked_add_seconds(&self, seconds: i64) -> Option<Self> {
        let at = self.at.checked_add(SignedDuration::from_secs(seconds)).ok()?;
        Some(Self { at, ..*self })
    }

    fn cmp_instant(&self, other: &Self) -> Ordering {
        self.at.cmp(&other.at)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn the_last_and_the_next_time_are_those_of_the_zones_clocks() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        for (pattern, zone, now, last, next) in [
            // A time counts from its minute on. 2027-01-15 is a Friday.
            (
                "0 9 * * mon-fri",
                &Zone::UTC,
                datetime!(2027-01-15 09:00 UTC),
                datetime!(2027-01-15 09:00 UTC),
                datetime!(2027-01-18 09:00 UTC),
            ),
            (
                "0 9 * * 1-5",
                &berlin,
                datetime!(2027-01-15 07:59:59 UTC),
                datetime!(2027-01-14 08:00 UTC),
                datetime!(2027-01-15 08:00 UTC),
            ),
            (
                "*/20 * * * *",
                &Zone::UTC,
                datetime!(2027-01-15 00:10 UTC),
                datetime!(2027-01-15 00:00 UTC),
                datetime!(2027-01-15 00:20 UTC),
            ),
            (
                "@monthly",
                &Zone::UTC,
                datetime!(2027-01-15 00:10 UTC),
                datetime!(2027-01-01 00:00 UTC),
                datetime!(2027-02-01 00:00 UTC),
            ),
            // At 02:00 the clocks are set to 03:00.
            (
                "30 2 * * *",
                &berlin,
                datetime!(2027-03-28 00:00 UTC),
                datetime!(2027-03-27 01:30 UTC),
                datetime!(2027-03-28 01:00 UTC),
            ),
            // At 03:00 the clocks are set to 02:00.
            (
                "30 2 * * *",
                &berlin,
                datetime!(2027-10-31 00:30 UTC),
                datetime!(2027-10-31 00:30 UTC),
                datetime!(2027-11-01 01:30 UTC),
            ),
        ] {
            let cron = Cron::parse(pattern).unwrap();
            let found = (cron.last(now.into(), zone), cron.next(now.into(), zone));
            assert_eq!(found, (Some(last.into()), Some(next.into())), "{pattern} at {now}");
        }
    }

    #[test]
    fn what_is_no_pattern_or_never_comes_is_told() {
        for pattern in ["", "0 9 * *", "0 9 * * * *", "60 * * * *", "0 9 * * someday", "0 0 30 2 *", "every day"] {
            let problem = Cron::parse(pattern).unwrap_err();
            assert!(!problem.is_empty() && !problem.contains('\n'), "{pattern}: {problem}");
        }
        assert_eq!(Cron::parse(" 0 9 * * mon ").unwrap().pattern(), "0 9 * * mon");
    }
}
