//! Dates in expressions and results: dates plus or minus spans of time, days between two dates, and dates in words.
//! Also marks dates with the sign that fend expects.

use std::time::SystemTime;

use jiff::civil::Date;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

use candor_core::language::{Language, say};
use candor_core::text::{Span, Zone, parse_day};

const LENGTH: usize = 10;

/// The written forms of a date and of a time of day.
const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");
const TIME: &[BorrowedFormatItem<'_>] = format_description!("[hour]:[minute]");

/// The form of a date in fend's results.
const RESULT: &str = "%A, %d %B %Y";

const TODAY: &str = "today";

const NOW: [&str; 2] = ["now", "jetzt"];

/// A calculated date or moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    Date {
        /// The start date as it was understood.
        from: Date,
        result: Date,
        /// Whether the month has no such day, so that the result is its last day.
        is_month_end: bool,
    },
    Moment(SystemTime),
}

/// Evaluates a day or the current moment, plus and minus spans: `next friday`, `2027-01-15 + 1 month`, `now + 2 hours`.
/// `None` for anything else.
pub(super) fn counted(expression: &str, now: SystemTime, zone: &Zone) -> Option<Counted> {
    let (begin, terms) = terms(expression);
    let spans: Vec<Span> = terms.into_iter().map(span).collect::<Option<_>>()?;
    if NOW.iter().any(|word| begin.eq_ignore_ascii_case(word)) {
        let result = spans.into_iter().try_fold(now, |at, span| span.after(at, zone))?;
        return Some(Counted::Moment(result));
    }
    let from = parse_day(begin, date(&day(now, zone), TODAY)?)?;
    let mut result = from;
    let mut is_month_end = false;
    for span in spans {
        let next = span.after_date(result)?;
        is_month_end = span.is_of_months() && next.day() != result.day();
        result = next;
    }
    Some(Counted::Date { from, result, is_month_end })
}

/// Splits an expression into its first term and the terms added or subtracted. Skips a `-` in a date.
fn terms(expression: &str) -> (&str, Vec<(char, &str)>) {
    let mut before = ' ';
    let signs: Vec<_> = expression
        .char_indices()
        .filter(|(_, sign)| {
            let is_sign = *sign == '+' || (*sign == '-' && !before.is_ascii_digit());
            before = *sign;
            is_sign
        })
        .collect();
    let ends = signs.iter().skip(1).map(|(at, _)| *at).chain([expression.len()]);
    let term = |((at, sign), end): (&(usize, char), usize)| (*sign, expression.get(at + 1..end).unwrap_or_default());
    let begin = expression.get(..signs.first().map_or(expression.len(), |(at, _)| *at)).unwrap_or_default();
    (begin.trim(), signs.iter().zip(ends).map(term).collect())
}

fn span((sign, term): (char, &str)) -> Option<Span> {
    let span = Span::parse(term).ok()?;
    Some(if sign == '-' { -span } else { span })
}

/// Formats a result, with the start date as it was understood.
pub(super) fn counted_in_words(expression: &str, counted: &Counted, zone: &Zone, language: Language) -> String {
    match counted {
        Counted::Moment(at) => {
            let moment = date(&day(*at, zone), TODAY).map(|date| in_full(date, language)).unwrap_or_default();
            format!("{expression} = **{moment}, {} {}**", zone.text(*at, TIME), zone.name())
        }
        Counted::Date { from, result, is_month_end } => {
            let from = in_full(*from, language);
            let equals = format!("{expression} = **{}**", in_full(*result, language));
            match (from == in_full(*result, language), is_month_end) {
                (true, _) => equals,
                (false, false) => format!("{equals}\n{}", say!(language, "calculate-from", from = from)),
                (false, true) => format!("{equals}\n{}", say!(language, "calculate-from-end", from = from)),
            }
        }
    }
}

/// Returns the date of a moment in a time zone, in written form.
pub(super) fn day(now: SystemTime, zone: &Zone) -> String {
    zone.text(now, DAY)
}

/// Returns the days between two dates, if the expression asks only that: `2026-11-24 to today`.
pub(super) fn between(expression: &str, today: &str) -> Option<String> {
    let words: Vec<_> = expression.split_whitespace().collect();
    let [first, word, second] = words.as_slice() else { return None };
    let first = date(first, today)?;
    let second = date(second, today)?;
    let days = match word.to_ascii_lowercase().as_str() {
        "to" | "until" => second.duration_since(first),
        "-" => first.duration_since(second),
        _ => return None,
    };
    let days = days.as_hours() / 24;
    Some(if days.abs() == 1 { format!("{days} day") } else { format!("{days} days") })
}

/// Translates a result that is a date or a number of days.
pub(super) fn in_words(result: &str, language: Language) -> String {
    if let Ok(date) = Date::strptime(RESULT, result) {
        return in_full(date, language);
    }
    let number = result.strip_suffix(" days").or_else(|| result.strip_suffix(" day"));
    match number.and_then(|number| number.parse::<i32>().ok()) {
        Some(days) => say!(language, "calculate-days", n = days),
        None => result.to_owned(),
    }
}

fn in_full(date: Date, language: Language) -> String {
    let weekday = say!(language, "calculate-weekday", n = date.weekday().to_monday_one_offset());
    let month = say!(language, "calculate-month", n = date.month());
    let day = date.day().to_string();
    let year = date.year().to_string();
    say!(language, "calculate-date", weekday = weekday, day = day, month = month, year = year)
}

fn date(text: &str, today: &str) -> Option<Date> {
    let written = if text.eq_ignore_ascii_case(TODAY) { today } else { text.strip_prefix('@').unwrap_or(text) };
    if written.len() == LENGTH { written.parse().ok() } else { None }
}

/// Puts `@` before each date, and replaces `today` by the date. Without the sign, fend reads a date as three numbers
/// and two minus signs.
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

/// Whether the text has the form of a date, even an impossible one.
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
    fn a_day_or_this_moment_with_spans_is_counted_and_says_from_where() {
        // A Friday, 09:00 in Berlin.
        let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let german = Language::of_locale("de").unwrap();
        let said = |expression: &str, language: Language| {
            let counted = counted(expression, now, &berlin)?;
            Some(counted_in_words("x", &counted, &berlin, language))
        };
        for (expression, expected) in [
            ("2027-01-15 + 1 month", "x = **Monday, 15 February 2027**\nCounted from Friday, 15 January 2027."),
            ("today + 2 weeks", "x = **Friday, 29 January 2027**\nCounted from Friday, 15 January 2027."),
            ("2024-02-28 + 1 year", "x = **Friday, 28 February 2025**\nCounted from Wednesday, 28 February 2024."),
            (
                "2027-01-31 + 1 month",
                "x = **Sunday, 28 February 2027**\nCounted from Sunday, 31 January 2027. \
                 The month has no such day, so this is its last.",
            ),
            ("2027-03-31 - 1 month + 1 day", "x = **Monday, 1 March 2027**\nCounted from Wednesday, 31 March 2027."),
            ("today-3 days", "x = **Tuesday, 12 January 2027**\nCounted from Friday, 15 January 2027."),
            ("next friday", "x = **Friday, 22 January 2027**"),
            ("Tomorrow", "x = **Saturday, 16 January 2027**"),
            ("now", "x = **Friday, 15 January 2027, 09:00 Europe/Berlin**"),
            ("now + 2 hours", "x = **Friday, 15 January 2027, 11:00 Europe/Berlin**"),
            ("now - 1 month", "x = **Tuesday, 15 December 2026, 09:00 Europe/Berlin**"),
        ] {
            assert_eq!(said(expression, Language::ENGLISH).as_deref(), Some(expected), "{expression}");
        }
        let expected = "x = **Freitag, 29. Januar 2027**\nGezählt ab Freitag, 15. Januar 2027.";
        assert_eq!(said("heute + 2 Wochen", german).as_deref(), Some(expected));
        for other in [
            "1 + 1",
            "2026-12-24 - today",
            "today + 2",
            "today + 1M",
            "today + 1 hour",
            "(today) + 1 day",
            "+ 1 day",
            "",
        ] {
            assert_eq!(said(other, Language::ENGLISH), None, "{other}");
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
