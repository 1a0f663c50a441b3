//! `/calculate`: the command, its [`Calculator`], and the evaluation.

use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use fend_core::Context;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

use candor_core::contract::{Call, CommandError};
use candor_core::language::{Language, say};
use candor_core::reply::Reply;
use candor_core::text::{Span, Zone, in_code_span, one_line, parse_day};

/// Evaluates expressions. The arithmetic is third-party code and can run without end, so an implementation must be able
/// to end it.
#[async_trait]
pub trait Calculator: Send + Sync {
    /// Evaluates an expression. `today` is the current date: `2026-11-24`. Always returns within 500 ms.
    ///
    /// # Errors
    /// Fails if there is no result.
    async fn calculate(&self, expression: String, today: String) -> Result<Calculated, NotCalculated>;
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calculated {
    pub value: String,
    /// Whether it is exact, and not rounded.
    pub is_exact: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotCalculated {
    /// A comma stands between digits, which may or may not be a decimal point.
    Comma,
    /// The expression needs more time or memory than a calculation may use.
    TooMuch,
    /// The result is too long. Contains its number of characters.
    TooLong(usize),
    ByZero,
    /// This bot has no calculator.
    Absent,
    /// The expression is empty.
    Nothing,
    /// This sign has no meaning here.
    NoMeaning(String),
    /// This word is unknown. Untrusted.
    UnknownWord(String),
    /// These units measure different things. Untrusted.
    Units(String, String),
    NoSuchDate,
    /// `in` is ambiguous: it may mean inches.
    In,
    Problem,
    /// Too many calculations run, or this machine is too slow at the moment.
    Busy,
    /// The calculator failed. The text is for the log.
    Failed(String),
}

/// Stands where no process can be started.
pub struct NoCalculator;

#[async_trait]
impl Calculator for NoCalculator {
    async fn calculate(&self, _: String, _: String) -> Result<Calculated, NotCalculated> {
        Err(NotCalculated::Absent)
    }
}

/// The longest expression that is repeated, in characters.
const SHOWN_MAX: usize = 300;

/// What `/calculate` takes.
#[derive(Deserialize, JsonSchema)]
pub(in crate::builtin) struct Calculation {
    /// Such as 12% of 340, 5 km to miles, today + 30 days
    #[schemars(length(min = 1, max = 300))]
    expression: String,
}

pub(in crate::builtin) async fn calculate(
    calculator: Arc<dyn Calculator>,
    Calculation { expression }: Calculation,
    call: Call,
) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let shown = in_code_span(&one_line(&expression, SHOWN_MAX));
    let zone = call.services.time()?.zone();
    if let Some(counted) = counted(&expression, call.now, &zone) {
        return Ok(Reply::text(counted_in_words(&shown, &counted, &zone, language)));
    }
    let why = match calculator.calculate(expression, day(call.now, &zone)).await {
        Ok(Calculated { value, is_exact }) => {
            let sign = if is_exact { "=" } else { "≈" };
            return Ok(Reply::text(format!(
                "{shown} {sign} **{}**",
                one_line(&in_words(&value, language), usize::MAX)
            )));
        }
        Err(NotCalculated::Comma) => say!(language, "calculate-comma"),
        Err(NotCalculated::TooMuch) => say!(language, "calculate-too-much"),
        Err(NotCalculated::Busy) => say!(language, "calculate-busy"),
        Err(NotCalculated::TooLong(length)) => say!(language, "calculate-too-long", n = length),
        Err(NotCalculated::Absent) => say!(language, "calculate-absent"),
        Err(NotCalculated::ByZero) => say!(language, "calculate-by-zero"),
        Err(NotCalculated::Nothing) => say!(language, "calculate-nothing"),
        Err(NotCalculated::NoMeaning(sign)) => say!(language, "calculate-no-meaning", sign = in_code_span(&sign)),
        Err(NotCalculated::Failed(why)) => {
            return Err(CommandError::from(io::Error::other(format!("the calculator failed: {why}"))));
        }
        Err(NotCalculated::UnknownWord(word)) => say!(language, "calculate-unknown", word = in_code_span(&word)),
        Err(NotCalculated::Units(from, to)) => {
            say!(language, "calculate-units", from = in_code_span(&from), to = in_code_span(&to))
        }
        Err(NotCalculated::NoSuchDate) => say!(language, "calculate-no-date"),
        Err(NotCalculated::In) => say!(language, "calculate-in"),
        Err(NotCalculated::Problem) => say!(language, "calculate-problem"),
    };
    Err(CommandError::tell(why))
}

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
enum Counted {
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
fn counted(expression: &str, now: SystemTime, zone: &Zone) -> Option<Counted> {
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
fn counted_in_words(expression: &str, counted: &Counted, zone: &Zone, language: Language) -> String {
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
fn day(now: SystemTime, zone: &Zone) -> String {
    zone.text(now, DAY)
}

/// Returns the days between two dates, if the expression asks only that: `2026-11-24 to today`.
fn between(expression: &str, today: &str) -> Option<String> {
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
fn in_words(result: &str, language: Language) -> String {
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
fn marked(expression: &str, today: &str) -> String {
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

/// The longest result that is shown, in characters: a message on Discord has 2,000.
const RESULT_LENGTH_MAX: usize = 1_200;

/// The signs of functions, which are refused: fend never returns from a function that calls itself.
const FUNCTIONS: [&str; 3] = ["\\", "=>", ":"];

/// The words after an `in` that means inches. Before other words, `in` means conversion.
const BEHIND_INCH: [&str; 3] = ["in", "to", "as"];

/// Evaluates an expression in this process, without limits of time, memory and stack. `today` is the current date.
///
/// # Errors
/// Fails if there is no result.
pub fn evaluate(expression: &str, today: &str) -> Result<Calculated, NotCalculated> {
    if has_comma_between_digits(expression) {
        return Err(NotCalculated::Comma);
    }
    if let Some(sign) = FUNCTIONS.into_iter().find(|sign| expression.contains(sign)) {
        return Err(NotCalculated::NoMeaning(sign.to_owned()));
    }
    if let Some(days) = between(expression, today) {
        return Ok(Calculated { value: days, is_exact: true });
    }
    let result = fend_core::evaluate(&marked(&with_inches(expression), today), &mut Context::new());
    let result = match result {
        Ok(result) => result.get_main_result().trim().to_owned(),
        Err(problem) => return Err(why(&problem, expression)),
    };
    let (value, is_exact) = match result.strip_prefix("approx. ") {
        Some(value) => (value.to_owned(), false),
        None => (result, true),
    };
    match value.chars().count() {
        0 => Err(NotCalculated::Nothing),
        length if RESULT_LENGTH_MAX < length => Err(NotCalculated::TooLong(length)),
        _ => Ok(Calculated { value, is_exact }),
    }
}

/// Converts fend's error. Its own texts are for programmers and are not shown.
fn why(problem: &str, expression: &str) -> NotCalculated {
    let quoted = |before: &str| problem.split_once(before)?.1.split('\'').next().map(str::to_owned);
    if problem == "division by zero" {
        return NotCalculated::ByZero;
    }
    if problem.contains(" does not exist, did you mean ") || problem.starts_with("failed to convert '") {
        return NotCalculated::NoSuchDate;
    }
    if let Some(word) = quoted("unknown identifier '") {
        return NotCalculated::UnknownWord(word);
    }
    if has_in_behind_number(expression) {
        return NotCalculated::In;
    }
    match (quoted(": units '"), quoted("' and '")) {
        (Some(from), Some(to)) => NotCalculated::Units(from, to),
        _ => NotCalculated::Problem,
    }
}

/// Replaces an `in` that means inches by `inch`: one after a number, and before a sign, a conversion or the end. `5 in
/// cm` is ambiguous and stays.
fn with_inches(expression: &str) -> String {
    let mut written = String::with_capacity(expression.len());
    let mut rest = expression;
    while let Some((before, behind)) = rest.split_once("in") {
        written.push_str(before);
        let next = behind.trim_start().split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
        let is_word = !behind.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_');
        let is_unit = is_word
            && written.trim_end().ends_with(|sign: char| sign.is_ascii_digit())
            && (next.is_empty() || BEHIND_INCH.contains(&next));
        written.push_str(if is_unit { "inch" } else { "in" });
        rest = behind;
    }
    written + rest
}

fn has_in_behind_number(expression: &str) -> bool {
    let words: Vec<_> = expression.split_whitespace().collect();
    words
        .windows(2)
        .any(|words| matches!(words, [before, "in"] if before.ends_with(|sign: char| sign.is_ascii_digit())))
}

/// Detects `3,5`, which is three and a half in some languages, and thirty-five for fend.
fn has_comma_between_digits(expression: &str) -> bool {
    let signs: Vec<char> = expression.chars().collect();
    signs.windows(3).any(|signs| matches!(signs, [before, ',', behind] if before.is_numeric() && behind.is_numeric()))
}

#[cfg(test)]
mod dates_tests {
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

#[cfg(test)]
mod evaluate_tests {
    use super::*;

    const TODAY: &str = "2026-11-24";

    fn shown(expression: &str) -> String {
        match evaluate(expression, TODAY) {
            Ok(Calculated { value, is_exact: true }) => format!("= {value}"),
            Ok(Calculated { value, is_exact: false }) => format!("≈ {value}"),
            Err(why) => format!("{why:?}"),
        }
    }

    #[test]
    fn arithmetic_is_exact_or_says_that_it_is_not() {
        for (expression, expected) in [
            ("0.1 + 0.2", "= 0.3"),
            ("12% of 340", "= 40.8"),
            ("2^100", "= 1267650600228229401496703205376"),
            ("1/3", "≈ 0.3333333333"),
            ("(1/7) to fraction", "= 1/7"),
            ("5 km to miles", "≈ 3.1068559612 miles"),
            ("1 GiB to MB", "= 1073.741824 MB"),
            ("100 celsius to fahrenheit", "= 212 fahrenheit"),
        ] {
            assert_eq!(shown(expression), expected, "{expression}");
        }
    }

    #[test]
    fn dates_are_dates_with_or_without_their_sign() {
        for (expression, expected) in [
            ("today", "= Tuesday, 24 November 2026"),
            ("today + 30 days", "= Thursday, 24 December 2026"),
            ("2026-11-24 + 3 days", "= Friday, 27 November 2026"),
            ("@2024-02-28 + 1 day", "= Thursday, 29 February 2024"),
            ("2026-11-24 to 2026-12-24", "= 30 days"),
            ("2026-12-24 - today", "= 30 days"),
            ("today until 2026-01-01", "= -327 days"),
        ] {
            assert_eq!(shown(expression), expected, "{expression}");
        }
        assert_eq!(shown("2026-02-30 + 1 day"), "NoSuchDate");
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        assert_eq!((shown("3,5 + 1"), shown("1,000 * 2")), ("Comma".to_owned(), "Comma".to_owned()));
    }

    #[test]
    fn a_result_that_cannot_be_shown_or_that_is_none_is_refused() {
        assert_eq!(shown("2^10000"), "TooLong(3011)");
        assert_eq!(
            (shown("1/0"), shown(" "), shown("x => x")),
            ("ByZero".into(), "Nothing".into(), "NoMeaning(\"=>\")".into())
        );
        for (none, expected) in [
            ("abc", "UnknownWord(\"abc\")"),
            ("5 km to kg", "Units(\"meter\", \"kilogram\")"),
            ("5 in cm", "In"),
            ("2 +", "Problem"),
            ("random", "UnknownWord(\"random\")"),
            ("10 EUR in USD", "Problem"),
        ] {
            assert_eq!(shown(none), expected, "{none}");
        }
    }

    #[test]
    fn in_is_a_unit_of_length_behind_a_number() {
        for (expression, expected) in [
            ("5 ft 11 in in cm", "= 180.34 cm"),
            ("1 in in cm", "= 2.54 cm"),
            ("2.5in to mm", "= 63.5 mm"),
            ("(3 in) to cm", "= 7.62 cm"),
            ("3 in + 2 cm", "≈ 3.7874015748 inches"),
            ("10 in", "= 10 inches"),
            ("5 km in m", "= 5000 m"),
            ("255 in hex", "= ff"),
            ("3 min in s", "= 180 s"),
        ] {
            assert_eq!(shown(expression), expected, "{expression}");
        }
    }
}
