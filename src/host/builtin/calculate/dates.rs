//! Dates in an expression and in its result: the days between two of them, the sign that fend reads a date by, and how
//! a date is said.

use std::time::SystemTime;

use time::Date;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

use candor_core::language::{Language, say};
use candor_core::text::Zone;

/// The length of a date: `2026-11-24`.
const LENGTH: usize = 10;

/// How a date is written.
const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// How fend says one.
const RESULT: &[BorrowedFormatItem<'_>] = format_description!("[weekday], [day padding:none] [month repr:long] [year]");

/// The word for the date of this day.
const TODAY: &str = "today";

/// The date of this moment by the clock of a zone, as dates are written.
pub(super) fn day(now: SystemTime, zone: &Zone) -> String {
    zone.text(now, DAY)
}

/// The days between two dates, if that is all that is asked: `2026-11-24 to today`.
pub(super) fn between(expression: &str, today: &str) -> Option<String> {
    let words: Vec<_> = expression.split_whitespace().collect();
    let [first, word, second] = words.as_slice() else { return None };
    let (first, second) = (date(first, today)?, date(second, today)?);
    let days = match word.to_ascii_lowercase().as_str() {
        "to" | "until" => (second - first).whole_days(),
        "-" => (first - second).whole_days(),
        _ => return None,
    };
    Some(if days.abs() == 1 { format!("{days} day") } else { format!("{days} days") })
}

/// A result in a language: a date and a number of days have words of their own there.
pub(super) fn in_words(result: &str, language: Language) -> String {
    if let Ok(date) = Date::parse(result, RESULT) {
        let weekday = say!(language, "calculate-weekday", n = date.weekday().number_from_monday());
        let month = say!(language, "calculate-month", n = u8::from(date.month()));
        let (day, year) = (date.day().to_string(), date.year().to_string());
        return say!(language, "calculate-date", weekday = weekday, day = day, month = month, year = year);
    }
    let number = result.strip_suffix(" days").or_else(|| result.strip_suffix(" day"));
    match number.and_then(|number| number.parse::<i32>().ok()) {
        Some(days) => say!(language, "calculate-days", n = days),
        None => result.to_owned(),
    }
}

fn date(text: &str, today: &str) -> Option<Date> {
    if text.eq_ignore_ascii_case(TODAY) {
        return Date::parse(today, DAY).ok();
    }
    Date::parse(text.strip_prefix('@').unwrap_or(text), DAY).ok()
}

/// The expression with `@` before each date, which is three numbers and two minus signs without it, and the date for
/// `today`.
pub(super) fn marked(expression: &str, today: &str) -> String {
    let mut marked = String::with_capacity(expression.len());
    let mut rest = expression;
    while let Some(sign) = rest.chars().next() {
        let is_within = marked.ends_with(|before: char| before.is_alphanumeric() || ".-@_".contains(before));
        let written = rest.get(..LENGTH).filter(|text| is_date(text));
        let ends = |behind: &&str| !behind.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_');
        let is_today = rest.get(..TODAY.len()).is_some_and(|word| word.eq_ignore_ascii_case(TODAY))
            && rest.get(TODAY.len()..).as_ref().is_some_and(ends);
        let (date, length) = match written {
            _ if is_within => (None, sign.len_utf8()),
            Some(date) => (Some(date), LENGTH),
            None if is_today => (Some(today), TODAY.len()),
            None => (None, sign.len_utf8()),
        };
        match date {
            Some(date) => marked.extend(["@", date]),
            None => marked.push(sign),
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    marked
}

/// Whether this is written like a date, whatever it is.
fn is_date(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn this_day_is_the_one_by_the_clock_of_the_zone() {
        let late = UNIX_EPOCH + Duration::from_secs(1_795_478_400 + 23 * 3_600);
        for (zone, expected) in [("UTC", "2026-11-24"), ("Europe/Berlin", "2026-11-25"), ("America/Lima", "2026-11-24")]
        {
            assert_eq!(day(late, &Zone::named(zone).unwrap()), expected, "{zone}");
        }
    }

    #[test]
    fn a_date_and_days_are_said_in_the_language() {
        let german = Language::of_locale("de").unwrap();
        for (result, in_german) in [
            ("Tuesday, 24 November 2026", "Dienstag, 24. November 2026"),
            ("Sunday, 1 March 2026", "Sonntag, 1. März 2026"),
            ("1 day", "1 Tag"),
            ("-327 days", "-327 Tage"),
            ("0 days", "0 Tage"),
            ("0.5 days", "0.5 days"),
            ("5000 m", "5000 m"),
        ] {
            assert_eq!(in_words(result, german), in_german);
            assert_eq!(in_words(result, Language::ENGLISH), result);
        }
    }

    #[test]
    fn a_date_gets_its_sign_once() {
        for (expression, expected) in [
            ("2026-11-24 + 3 days", "@2026-11-24 + 3 days"),
            ("@2026-11-24", "@2026-11-24"),
            ("(2026-11-24)", "(@2026-11-24)"),
            ("12026-11-24", "12026-11-24"),
            ("2026-1-24 ä 20", "2026-1-24 ä 20"),
            ("(Today) + today", "(@1970-01-01) + @1970-01-01"),
            ("todays xtoday", "todays xtoday"),
        ] {
            assert_eq!(marked(expression, "1970-01-01"), expected, "{expression}");
        }
    }
}
