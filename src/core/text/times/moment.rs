//! Times as people write them: `18:00`, `tomorrow 9:00`, `nächsten Freitag`, `in 2 weeks`.

use std::time::SystemTime;

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::{Timestamp, ToSpan as _, ZonedDateTime};

use crate::text::times::span::{Misread, Span};
use crate::text::times::span::{folded, number, split, without};
use crate::text::times::zone::Zone;

/// The time of a day that is written without one: nine in the morning.
const MORNING: Time = Time::constant(9, 0, 0, 0);

enum Day {
    On(Date),
    /// The next such weekday that is still ahead, possibly today.
    Next(Weekday),
    /// The next such date that is still ahead, possibly today.
    OfYear {
        month: i8,
        day: i8,
    },
}

impl Day {
    /// Returns the dates that it may mean, the nearest first.
    fn dates(&self, today: Date) -> [Option<Date>; 2] {
        match *self {
            Self::On(date) => [Some(date), None],
            Self::Next(weekday) => {
                let first = next(weekday, today);
                [first, first.and_then(|first| first.checked_add(1.week()).ok())]
            }
            Self::OfYear { month, day } => {
                [0, 1].map(|n| Date::new(today.year().checked_add(n)?, month, day).ok().filter(|date| today <= *date))
            }
        }
    }
}

/// Parses a time: a span from now, or a day and a time of day, in English or German, or ISO 8601. A time of day alone
/// is the next one; a day alone means nine in the morning. If the clocks show a time twice, the first counts. A skipped
/// time moves later by the skipped span.
///
/// # Errors
/// If any part of it is unknown: it never guesses.
pub fn parse_moment(text: &str, now: SystemTime, zone: &Zone) -> Result<SystemTime, Misread> {
    if let Some(at) = iso(text.trim(), zone) {
        return Ok(at);
    }
    let folded = folded(text);
    let pieces = split(&folded);
    let span = match Span::read(&pieces) {
        Ok(span) => span.after(now, zone),
        Err(Misread::CapitalM) => return Err(Misread::CapitalM),
        Err(Misread::Unknown) => {
            let now =
                Timestamp::try_from(now).map_err(|_beyond| Misread::Unknown)?.to_zoned_datetime(zone.clocks().clone());
            day_and_time(&pieces, &now).and_then(|at| SystemTime::try_from(at.timestamp()).ok())
        }
    };
    span.ok_or(Misread::Unknown)
}

/// Parses a day that is written as a word or as a date: `today`, `next friday`, `2027-01-31`. A weekday alone may be
/// today.
pub fn parse_day(text: &str, today: Date) -> Option<Date> {
    let folded = folded(text);
    whole(day(&split(&folded), today)?)?.dates(today).into_iter().flatten().next()
}

/// Parses a time in ISO 8601. If it names no zone, the given zone applies.
fn iso(text: &str, zone: &Zone) -> Option<SystemTime> {
    let clocks = zone.clocks();
    // Jiff would ignore a zone in brackets here.
    let is_shown = text.contains(':') && !text.contains('[');
    let shown = || text.parse::<DateTime>().ok().filter(|_| is_shown)?.to_zoned_datetime(clocks.clone()).ok();
    let at = text.parse::<Timestamp>().ok().or_else(|| shown().map(|at| at.timestamp()))?;
    SystemTime::try_from(at).ok()
}

/// Parses a day, a time of day, or both, in either order.
fn day_and_time(pieces: &[&str], now: &ZonedDateTime) -> Option<ZonedDateTime> {
    let today = now.date();
    let at = |date: Date, time: Time| date.to_datetime(time).to_zoned_datetime(now.time_zone().clone()).ok();
    if let Some((date, time)) = span_and_time(pieces, today) {
        return at(date, time);
    }
    let (day, time) = match day(pieces, today) {
        Some((day, [])) => (Some(day), MORNING),
        Some((day, rest)) => (Some(day), whole(time(without(rest, &[","]))?)?),
        // With a day, midnight is ambiguous: it may begin or end that day.
        None if matches!(without(pieces, &["at", "um"]), ["midnight" | "mitternacht"]) => (None, Time::midnight()),
        None => match time(pieces)? {
            (time, []) => (None, time),
            (time, rest) => (Some(whole(day(without(rest, &[",", "on"]), today)?)?), time),
        },
    };
    if let Some(Day::On(date)) = day {
        return at(date, time);
    }
    let dates = day.map_or_else(|| [Some(today), today.tomorrow().ok()], |day| day.dates(today));
    dates.into_iter().flatten().filter_map(|date| at(date, time)).find(|at| now < at)
}

/// Parses a span of days and a time of day: `in 3 days at 18:00`.
fn span_and_time(pieces: &[&str], today: Date) -> Option<(Date, Time)> {
    let begin = pieces.iter().position(|piece| matches!(*piece, "at" | "um"))?;
    let (span, rest) = pieces.split_at_checked(begin)?;
    Some((Span::read(span).ok()?.after_date(today)?, whole(time(rest)?)?))
}

/// Returns the parsed value if no text is left.
fn whole<T>((read, rest): (T, &[&str])) -> Option<T> {
    if rest.is_empty() { Some(read) } else { None }
}

/// Parses a day at the beginning, and returns the rest.
fn day<'a, 'b>(pieces: &'b [&'a str], today: Date) -> Option<(Day, &'b [&'a str])> {
    let (date, rest) = match pieces {
        ["today" | "heute", rest @ ..] => (today, rest),
        ["tomorrow" | "morgen", rest @ ..] => (today.tomorrow().ok()?, rest),
        ["übermorgen" | "uebermorgen", rest @ ..] | ["day", "after", "tomorrow", rest @ ..] => {
            (today.checked_add(2.days()).ok()?, rest)
        }
        ["next" | "nächsten" | "nächster" | "naechsten" | "kommenden" | "kommender", day, rest @ ..] => {
            (next(weekday(day)?, today.tomorrow().ok()?)?, without(rest, &["."]))
        }
        _ => {
            let pieces = without(pieces, &["on", "this", "am", "diesen", "dieser"]);
            if let [day, rest @ ..] = pieces
                && let Some(weekday) = weekday(day)
            {
                return Some((Day::Next(weekday), without(rest, &["."])));
            }
            return written_date(without(pieces, &["the", "den"]));
        }
    };
    Some((Day::On(date), rest))
}

/// Parses a date at the beginning, with or without its year: `2027-01-31`, `31.1.2027`, `31.1.`, `31 Jan 2027`,
/// `January 31st`. Two numbers with a slash are ambiguous.
fn written_date<'a, 'b>(pieces: &'b [&'a str]) -> Option<(Day, &'b [&'a str])> {
    if let [year, "-", month, "-", day, rest @ ..] | [year, "/", month, "/", day, rest @ ..] = pieces {
        return Some((Day::On(date(year, month, day)?), rest));
    }
    let (day, month, rest) = match pieces {
        [day, ".", month, ".", rest @ ..] if number(month).is_some() => (day, small(month)?, rest),
        [name, rest @ ..] if month(name).is_some() => {
            let [day, rest @ ..] = without(rest, &["."]) else { return None };
            (day, month(name)?, without(without(rest, &ORDINALS), &[","]))
        }
        [day, rest @ ..] => {
            let [name, rest @ ..] = without(without(rest, &ORDINALS), &["of"]) else { return None };
            (day, month(name)?, without(rest, &["."]))
        }
        [] => return None,
    };
    let day = small(day)?;
    match rest {
        [year, rest @ ..] if year.len() == 4 && number(year).is_some() => {
            Some((Day::On(Date::new(i16::try_from(number(year)?).ok()?, month, day).ok()?), rest))
        }
        rest => Some((Day::OfYear { month, day }, rest)),
    }
}

fn date(year: &str, month: &str, day: &str) -> Option<Date> {
    if year.len() == 4 { Date::new(i16::try_from(number(year)?).ok()?, small(month)?, small(day)?).ok() } else { None }
}

/// Parses a number of one or two digits.
fn small(digits: &str) -> Option<i8> {
    if digits.len() <= 2 { i8::try_from(number(digits)?).ok() } else { None }
}

/// The signs behind the number of a day.
const ORDINALS: [&str; 5] = [".", "st", "nd", "rd", "th"];

fn month(word: &str) -> Option<i8> {
    Some(match word {
        "january" | "jan" | "januar" | "jänner" => 1,
        "february" | "feb" | "februar" => 2,
        "march" | "mar" | "märz" | "maerz" | "mär" => 3,
        "april" | "apr" => 4,
        "may" | "mai" => 5,
        "june" | "jun" | "juni" => 6,
        "july" | "jul" | "juli" => 7,
        "august" | "aug" => 8,
        "september" | "sep" | "sept" => 9,
        "october" | "oct" | "oktober" | "okt" => 10,
        "november" | "nov" => 11,
        "december" | "dec" | "dezember" | "dez" => 12,
        _ => return None,
    })
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" | "mon" | "montag" | "mo" => Weekday::Monday,
        "tuesday" | "tue" | "tues" | "dienstag" | "di" => Weekday::Tuesday,
        "wednesday" | "wed" | "mittwoch" | "mi" => Weekday::Wednesday,
        "thursday" | "thu" | "thurs" | "donnerstag" | "do" => Weekday::Thursday,
        "friday" | "fri" | "freitag" | "fr" => Weekday::Friday,
        "saturday" | "sat" | "samstag" | "sonnabend" | "sa" => Weekday::Saturday,
        "sunday" | "sun" | "sonntag" | "so" => Weekday::Sunday,
        _ => return None,
    })
}

/// Returns the first such weekday from a date on.
fn next(weekday: Weekday, from: Date) -> Option<Date> {
    from.checked_add(i64::from(from.weekday().until(weekday)).days()).ok()
}

/// Parses a time of day at the beginning, and returns the rest.
fn time<'a, 'b>(pieces: &'b [&'a str]) -> Option<(Time, &'b [&'a str])> {
    let (hour, minute, rest) = match without(pieces, &["at", "um"]) {
        ["noon" | "midday" | "mittag" | "mittags", rest @ ..] => return Some((clock(12, 0)?, rest)),
        [hour, ":" | ".", minute, rest @ ..] if minute.len() == 2 => (hour, number(minute)?, rest),
        [hour, "uhr", minute, rest @ ..] if number(minute).is_some() => {
            return Some((clock(number(hour)?, number(minute)?)?, rest));
        }
        // A number alone is ambiguous.
        [hour, rest @ ..] if matches!(rest, ["am" | "pm" | "uhr", ..]) => (hour, 0, rest),
        _ => return None,
    };
    let hour = if hour.len() <= 2 { number(hour)? } else { return None };
    let is_of_twelve = (1..=12).contains(&hour);
    match rest {
        ["am", rest @ ..] if is_of_twelve => Some((clock(hour % 12, minute)?, rest)),
        ["pm", rest @ ..] if is_of_twelve => Some((clock(hour % 12 + 12, minute)?, rest)),
        ["am" | "pm", ..] => None,
        rest => Some((clock(hour, minute)?, without(rest, &["uhr"]))),
    }
}

fn clock(hour: i32, minute: i32) -> Option<Time> {
    Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use time::macros::format_description;

    use super::*;

    /// A Friday: 2027-01-15 08:00 UTC, which is 09:00 in Berlin.
    const NOW: u64 = 1_800_000_000;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn berlin() -> Zone {
        Zone::named("Europe/Berlin").unwrap()
    }

    /// The time as the clocks of Berlin show it.
    fn shown(at: SystemTime) -> String {
        let format = format_description!("[weekday repr:short] [year]-[month]-[day] [hour]:[minute]");
        berlin().text(at, format)
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, expected) in [
            ("18:00", "Fri 2027-01-15 18:00"),
            ("18.30", "Fri 2027-01-15 18:30"),
            ("at 18:00", "Fri 2027-01-15 18:00"),
            ("um 18.30 Uhr", "Fri 2027-01-15 18:30"),
            ("18 Uhr 30", "Fri 2027-01-15 18:30"),
            ("6pm", "Fri 2027-01-15 18:00"),
            ("6:30 p.m.", "Fri 2027-01-15 18:30"),
            ("12pm", "Fri 2027-01-15 12:00"),
            ("12am", "Sat 2027-01-16 00:00"),
            // It is 09:00: this has passed today.
            ("9:00", "Sat 2027-01-16 09:00"),
            ("08:59", "Sat 2027-01-16 08:59"),
            ("today 18:30", "Fri 2027-01-15 18:30"),
            ("heute 18:30", "Fri 2027-01-15 18:30"),
            ("today at 8:00", "Fri 2027-01-15 08:00"),
            ("tomorrow", "Sat 2027-01-16 09:00"),
            ("Tomorrow 9:00", "Sat 2027-01-16 09:00"),
            ("10:00 tomorrow", "Sat 2027-01-16 10:00"),
            ("morgen 9 Uhr", "Sat 2027-01-16 09:00"),
            ("morgen um 18:00", "Sat 2027-01-16 18:00"),
            ("übermorgen", "Sun 2027-01-17 09:00"),
            ("u\u{308}bermorgen 8 Uhr", "Sun 2027-01-17 08:00"),
            ("day after tomorrow", "Sun 2027-01-17 09:00"),
            ("friday", "Fri 2027-01-22 09:00"),
            ("friday 18:00", "Fri 2027-01-15 18:00"),
            ("friday, 8am", "Fri 2027-01-22 08:00"),
            ("on sunday at 6pm", "Sun 2027-01-17 18:00"),
            ("18:00 on sunday", "Sun 2027-01-17 18:00"),
            ("next friday", "Fri 2027-01-22 09:00"),
            ("next sat 12:15", "Sat 2027-01-16 12:15"),
            ("nächsten Freitag", "Fri 2027-01-22 09:00"),
            ("am Montag um 8 Uhr", "Mon 2027-01-18 08:00"),
            ("in 2 weeks", "Fri 2027-01-29 09:00"),
            ("2 weeks", "Fri 2027-01-29 09:00"),
            ("in 2 Wochen", "Fri 2027-01-29 09:00"),
            ("1mo", "Mon 2027-02-15 09:00"),
            ("1 month", "Mon 2027-02-15 09:00"),
            ("in einem Monat", "Mon 2027-02-15 09:00"),
            ("90m", "Fri 2027-01-15 10:30"),
            ("2027-01-31", "Sun 2027-01-31 09:00"),
            ("2027-01-31 18:00", "Sun 2027-01-31 18:00"),
            ("2027-01-31 18.30", "Sun 2027-01-31 18:30"),
            ("2027-01-31T18:00:30", "Sun 2027-01-31 18:00"),
            ("2027-01-31T18:00Z", "Sun 2027-01-31 19:00"),
            ("2027-01-31T18:00+01:00", "Sun 2027-01-31 18:00"),
            ("31.1.2027 18:00", "Sun 2027-01-31 18:00"),
            ("am 31.01.2027 um 18 Uhr", "Sun 2027-01-31 18:00"),
            ("2027/01/31 18:00", "Sun 2027-01-31 18:00"),
            ("31.1. 18:00", "Sun 2027-01-31 18:00"),
            ("am 24.12.", "Fri 2027-12-24 09:00"),
            // It is the 15th, 09:00.
            ("15.1. 9:00", "Sat 2028-01-15 09:00"),
            ("15.1., 9:01", "Fri 2027-01-15 09:01"),
            ("14. Januar um 8 Uhr", "Fri 2028-01-14 08:00"),
            ("den 3. März 2028, 8 Uhr", "Fri 2028-03-03 08:00"),
            ("24. Dez. 18.30 Uhr", "Fri 2027-12-24 18:30"),
            ("24 Dec 6pm", "Fri 2027-12-24 18:00"),
            ("on the 1st of February at 18:00", "Mon 2027-02-01 18:00"),
            ("Dec. 24 at noon", "Fri 2027-12-24 12:00"),
            ("December 24th, 2028, 18:00", "Sun 2028-12-24 18:00"),
            ("18:00 on Feb 2nd", "Tue 2027-02-02 18:00"),
            ("noon", "Fri 2027-01-15 12:00"),
            ("morgen Mittag", "Sat 2027-01-16 12:00"),
            ("midnight", "Sat 2027-01-16 00:00"),
            ("Mo 8:00", "Mon 2027-01-18 08:00"),
            ("Fr., 18 Uhr", "Fri 2027-01-15 18:00"),
            ("next wed. 8am", "Wed 2027-01-20 08:00"),
            ("in 3 days at 18:00", "Mon 2027-01-18 18:00"),
            ("in zwei Wochen um 8 Uhr", "Fri 2027-01-29 08:00"),
            ("6 p.m", "Fri 2027-01-15 18:00"),
            ("two hours from now", "Fri 2027-01-15 11:00"),
        ] {
            let read = parse_moment(text, at(NOW), &berlin()).map(shown);
            assert_eq!(read, Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        for text in [
            "",
            "soon",
            "9",
            "18",
            "tomorrow 9",
            "18.3",
            "18.300",
            "1.5h",
            "18,30",
            "24:00",
            "12:60",
            "13pm",
            "0am",
            "18:00 18:00",
            "tomorrow friday",
            "friday next",
            "next",
            "next week",
            "next 18:00",
            "tomorrow at",
            "18:00 soon",
            "tomorrow evening",
            "freitagabend",
            "at",
            "2 weeks 18:00",
            "2 hours at 18:00",
            "2 weeks at",
            "1/31",
            "31.1 18:00",
            "31.1.27",
            "31. Foo",
            "30 February",
            "32 Jan",
            "Dec",
            "Dec 24 8",
            "tomorrow midnight",
            "am Morgen",
            "halb 7",
            "from now",
            "2027-02-30",
            "27-01-31 18:00",
            "1/31/2027",
            "31.13.2027",
            "2027-01-31T18.5",
            "2027-01-31 18:00[Asia/Tokyo]",
            "18:00 Z",
            "-18:00",
        ] {
            assert_eq!(parse_moment(text, at(NOW), &berlin()), Err(Misread::Unknown), "{text}");
        }
        assert_eq!(parse_moment("1M", at(NOW), &berlin()), Err(Misread::CapitalM));
    }

    #[test]
    fn a_time_that_the_clocks_skip_is_made_up_for_and_one_that_they_show_twice_is_the_first() {
        // The evening before 2027-03-28, when 02:00 becomes 03:00, and before 2027-10-31, when 03:00 becomes 02:00.
        const SPRING: u64 = 1_806_166_800;
        const AUTUMN: u64 = 1_824_912_000;
        for (now, text, expected) in [
            (SPRING, "2:30", SPRING + 8 * 3_600 + 1_800),
            (SPRING, "tomorrow 3:00", SPRING + 8 * 3_600),
            (SPRING, "1 day", SPRING + 23 * 3_600),
            (SPRING, "24h", SPRING + 24 * 3_600),
            (AUTUMN, "2:30", AUTUMN + 8 * 3_600 + 1_800),
            (AUTUMN, "3:00", AUTUMN + 10 * 3_600),
            (AUTUMN, "1 day", AUTUMN + 25 * 3_600),
        ] {
            let read = parse_moment(text, at(now), &berlin());
            assert_eq!(read, Ok(at(expected)), "{text} at {}: {:?}", shown(at(now)), read.map(shown));
        }
    }

    #[test]
    fn a_day_is_a_word_or_a_date() {
        let today = Date::new(2027, 1, 15).unwrap();
        for (text, expected) in [
            ("Today", Some((2027, 1, 15))),
            ("friday", Some((2027, 1, 15))),
            ("next friday", Some((2027, 1, 22))),
            ("übermorgen", Some((2027, 1, 17))),
            ("2024-02-28", Some((2024, 2, 28))),
            ("friday 18:00", None),
            ("someday", None),
        ] {
            let expected = expected.map(|(year, month, day)| Date::new(year, month, day).unwrap());
            assert_eq!(parse_day(text, today), expected, "{text}");
        }
    }
}
