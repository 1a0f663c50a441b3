//! Spans of time as people write them: `90m`, `2 weeks`, `in 2 Wochen`.
//!
//! Also splits a written time into numbers, words and signs.

use std::ops::Neg;
use std::time::{Duration, SystemTime};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use unicode_normalization::UnicodeNormalization as _;

use crate::text::times::zone::Zone;

/// Why a written span or time was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misread {
    /// A lone `M` may mean minutes or months.
    CapitalM,
    /// An unknown part or form.
    Unknown,
}

/// The calendar and clock parts of a span. It is never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    months: i32,
    days: i32,
    seconds: i64,
}

impl Span {
    /// Parses a span such as `2h30m`, `2 weeks` or `1 Monat`, with or without `in` before it.
    ///
    /// # Errors
    /// If any part of it is unknown.
    pub fn parse(text: &str) -> Result<Self, Misread> {
        Self::read(&split(&folded(text)))
    }

    pub(super) fn read(pieces: &[&str]) -> Result<Self, Misread> {
        let mut span = Self::default();
        let pieces = pieces.strip_suffix(&["from", "now"]).unwrap_or(pieces);
        let mut rest = without(pieces, &["in"]);
        while let [written, unit, behind @ ..] = rest {
            let count = count(written).ok_or(Misread::Unknown)?;
            span = span.plus(count, unit)?;
            let next = without(behind, &[",", "and", "und"]);
            if next.is_empty() && !behind.is_empty() {
                return Err(Misread::Unknown);
            }
            rest = next;
        }
        if rest.is_empty() && span != Self::default() { Ok(span) } else { Err(Misread::Unknown) }
    }

    fn plus(self, count: i32, unit: &str) -> Result<Self, Misread> {
        let (months, days, seconds) = match unit {
            "M" => return Err(Misread::CapitalM),
            "s" | "sec" | "secs" | "second" | "seconds" | "sek" | "sekunde" | "sekunden" => (0, 0, 1),
            "m" | "min" | "mins" | "minute" | "minutes" | "minuten" => (0, 0, 60),
            "h" | "hr" | "hrs" | "hour" | "hours" | "std" | "stunde" | "stunden" => (0, 0, 3_600),
            "d" | "day" | "days" | "tag" | "tage" | "tagen" => (0, 1, 0),
            "w" | "wk" | "wks" | "week" | "weeks" | "woche" | "wochen" => (0, 7, 0),
            "mo" | "month" | "months" | "monat" | "monate" | "monaten" => (1, 0, 0),
            "y" | "yr" | "yrs" | "year" | "years" | "jahr" | "jahre" | "jahren" => (12, 0, 0),
            _ => return Err(Misread::Unknown),
        };
        let sum = || {
            Some(Self {
                months: self.months.checked_add(count.checked_mul(months)?)?,
                days: self.days.checked_add(count.checked_mul(days)?)?,
                seconds: self.seconds.checked_add(i64::from(count).checked_mul(seconds)?)?,
            })
        };
        sum().ok_or(Misread::Unknown)
    }

    /// Returns its length if a day has 24 hours; `None` for months and years, whose lengths differ.
    pub fn duration(self) -> Option<Duration> {
        let seconds = i64::from(self.days).checked_mul(86_400)?.checked_add(self.seconds)?;
        if self.months == 0 { u64::try_from(seconds).ok().map(Duration::from_secs) } else { None }
    }

    /// Returns the time this much later by the clocks of a zone. After days, weeks and months the time of day is the
    /// same.
    pub fn after(self, now: SystemTime, zone: &Zone) -> Option<SystemTime> {
        let now = Timestamp::try_from(now).ok()?.to_zoned_datetime(zone.clocks().clone());
        let day = now.checked_add(self.calendar()?).ok()?;
        let later = day.timestamp().checked_add(SignedDuration::from_secs(self.seconds)).ok()?;
        SystemTime::try_from(later).ok()
    }

    /// Returns the date this much later: the last of its month if the month has no such day. `None` if the span has
    /// hours, minutes or seconds.
    pub fn after_date(self, date: Date) -> Option<Date> {
        if self.seconds == 0 { date.checked_add(self.calendar()?).ok() } else { None }
    }

    pub fn is_of_months(self) -> bool {
        self.months != 0 && self.days == 0 && self.seconds == 0
    }

    fn calendar(self) -> Option<jiff::Span> {
        jiff::Span::new().try_months(self.months).ok()?.try_days(self.days).ok()
    }
}

/// Parses a number in digits, or up to twelve in words.
fn count(written: &str) -> Option<i32> {
    Some(match written {
        "a" | "an" | "one" | "ein" | "eine" | "einen" | "einem" | "einer" => 1,
        "two" | "zwei" => 2,
        "three" | "drei" => 3,
        "four" | "vier" => 4,
        "five" | "fünf" | "fuenf" => 5,
        "six" | "sechs" => 6,
        "seven" | "sieben" => 7,
        "eight" | "acht" => 8,
        "nine" | "neun" => 9,
        "ten" | "zehn" => 10,
        "eleven" | "elf" => 11,
        "twelve" | "zwölf" | "zwoelf" => 12,
        digits => return number(digits),
    })
}

impl Neg for Span {
    type Output = Self;

    fn neg(self) -> Self {
        Self { months: -self.months, days: -self.days, seconds: -self.seconds }
    }
}

/// Composes the text and lowers its case. A lone `M` stays, because it may mean minutes or months.
pub(super) fn folded(text: &str) -> String {
    let text: String = text.trim().nfkc().collect();
    let mut folded = String::with_capacity(text.len());
    for piece in pieces(&text) {
        match piece {
            "M" => folded.push('M'),
            other => folded.push_str(&other.to_lowercase()),
        }
    }
    // The dots would split these into several pieces.
    folded.replace("a.m.", "am").replace("p.m.", "pm").replace("a.m", "am").replace("p.m", "pm")
}

/// Splits a text into numbers, words and single signs, without the spaces.
pub(super) fn split(folded: &str) -> Vec<&str> {
    pieces(folded).filter(|piece| !piece.starts_with(char::is_whitespace)).collect()
}

/// Drops these words at the beginning.
pub(super) fn without<'a, 'b>(pieces: &'b [&'a str], words: &[&str]) -> &'b [&'a str] {
    match pieces {
        [first, rest @ ..] if words.contains(first) => rest,
        _ => pieces,
    }
}

/// Parses a number of up to nine digits, without a sign.
pub(super) fn number(piece: &str) -> Option<i32> {
    let is_number = piece.bytes().all(|byte| byte.is_ascii_digit()) && piece.len() <= 9;
    if is_number { piece.parse().ok() } else { None }
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_within = |c: char| {
            if first.is_ascii_digit() { c.is_ascii_digit() } else { first.is_alphabetic() && c.is_alphabetic() }
        };
        let length = rest.find(|c| !is_within(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (piece, behind) = rest.split_at(length);
        rest = behind;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_numbers_with_units_and_nothing_else() {
        let span = |months, days, seconds| Ok(Span { months, days, seconds });
        for (text, expected) in [
            ("90m", span(0, 0, 5_400)),
            ("2h30m", span(0, 0, 9_000)),
            ("2 hours and 30 min", span(0, 0, 9_000)),
            ("1w 2d", span(0, 9, 0)),
            ("10 MIN", span(0, 0, 600)),
            ("in 2 weeks", span(0, 14, 0)),
            ("in 2 Wochen, 1 Tag", span(0, 15, 0)),
            ("in einer Stunde", span(0, 0, 3_600)),
            ("an hour", span(0, 0, 3_600)),
            ("in zwei Wochen", span(0, 14, 0)),
            ("twelve hours from now", span(0, 0, 43_200)),
            ("1mo", span(1, 0, 0)),
            ("1 MONTH", span(1, 0, 0)),
            ("1 Jahr und 6 Monate", span(18, 0, 0)),
            // Letters of full width.
            ("２ ｗｅｅｋｓ", span(0, 14, 0)),
            ("1M", Err(Misread::CapitalM)),
            ("2h 30 M", Err(Misread::CapitalM)),
            ("", Err(Misread::Unknown)),
            ("in", Err(Misread::Unknown)),
            ("from now", Err(Misread::Unknown)),
            ("a few days", Err(Misread::Unknown)),
            ("0m", Err(Misread::Unknown)),
            ("5", Err(Misread::Unknown)),
            ("h", Err(Misread::Unknown)),
            ("-1h", Err(Misread::Unknown)),
            ("1.5h", Err(Misread::Unknown)),
            ("18.30", Err(Misread::Unknown)),
            ("1h and", Err(Misread::Unknown)),
            ("2 0 m", Err(Misread::Unknown)),
            ("2 fortnights", Err(Misread::Unknown)),
            ("soon", Err(Misread::Unknown)),
            ("99999999999999999999d", Err(Misread::Unknown)),
            ("999999999y", Err(Misread::Unknown)),
        ] {
            assert_eq!(Span::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn a_span_of_months_has_no_length_of_its_own() {
        assert_eq!(Span::parse("1d 1m").unwrap().duration(), Some(Duration::from_secs(86_460)));
        assert_eq!(Span::parse("1mo").unwrap().duration(), None);
    }

    #[test]
    fn months_end_where_the_month_ends() {
        for (from, text, expected) in [
            ((2027, 1, 15), "1 month", (2027, 2, 15)),
            ((2027, 1, 31), "1 month", (2027, 2, 28)),
            ((2024, 2, 29), "1 year", (2025, 2, 28)),
            ((2027, 1, 31), "1 month 1 day", (2027, 3, 1)),
        ] {
            let date = |(year, month, day)| Date::new(year, month, day).unwrap();
            assert_eq!(Span::parse(text).unwrap().after_date(date(from)), Some(date(expected)), "{from:?} + {text}");
        }
        let march = Date::new(2027, 3, 31).unwrap();
        assert_eq!((-Span::parse("1mo").unwrap()).after_date(march), Some(Date::new(2027, 2, 28).unwrap()));
        assert_eq!(Span::parse("1h").unwrap().after_date(march), None);
    }
}
