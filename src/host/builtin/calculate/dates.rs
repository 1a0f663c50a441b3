//! Dates in an expression: the days between two of them, and the sign that fend reads a date by.

use std::time::SystemTime;

use time::Date;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

use candor_core::text::Zone;

/// The length of a date: `2026-11-24`.
const LENGTH: usize = 10;

/// How a date is written.
const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

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
